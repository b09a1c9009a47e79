// What the page reaches in this machine's Chromium: the best of several runs. With `suspended` it believes that it is not isolated, so one
// worker has the prover and the socket; memory and loading are left out then.
import { enter, shows, startBare } from './bare.mjs'
import { openPage, section, startBrowser, startDemo, verdict } from './parties.mjs'

const demo = await startDemo()
const browser = await startBrowser()
const suspended = process.argv[2] === 'suspended'
const page = await openPage(browser, demo.url, {
  first: suspended ? () => Object.defineProperty(globalThis, 'crossOriginIsolated', { value: false }) : undefined,
})
const message = section(page, 'Prove a message')
const click = () => message.getByRole('button', { name: 'Prove that I know it' }).click()

/** Milliseconds from a click on the section's first button to a verdict on the screen, in the page's own clock. */
async function clickToVerdict(name, expected) {
  await page.evaluate(
    ([name, expected]) => {
      const verdict = document.querySelector(`[data-run="${name}"] .verdict`)
      const button = document.getElementById(`${name}-prove`)
      button.addEventListener('click', () => (window.clicked = performance.now()), { once: true })
      window.seen = new Promise((resolve, reject) => {
        const observer = new MutationObserver(() => {
          if (verdict.classList.contains('bad')) reject(new Error(verdict.parentElement.innerText))
          if (!verdict.textContent.startsWith(expected)) return
          observer.disconnect()
          resolve(performance.now() - window.clicked)
        })
        observer.observe(verdict, { attributes: true, childList: true, characterData: true, subtree: true })
      })
      button.click()
    },
    [name, expected],
  )
  return page.evaluate(() => window.seen)
}

/** The least and the median of ten. */
async function ten(once) {
  const times = []
  for (let run = 0; run < 10; run++) times.push(await once())
  times.sort((a, b) => a - b)
  return `least ${times[0].toFixed(0)} ms, median ${times[5].toFixed(0)} ms`
}

const told = (what, { all, own }) => console.log(`memory ${what}: ${own.toFixed(0)} MiB of its own, ${all.toFixed(0)} MiB with what it shares`)

const FILLER = `session=demo; filler=${'x'.repeat(898)}`

/** 1 KB of request, most of it a cookie, and 1 KB of response. */
async function askFor(website) {
  await website.getByText('https://localhost:').waitFor()
  await website.getByLabel('Page').selectOption('/bookings')
  await website.getByLabel('Your cookie').fill(FILLER)
}

async function measureMemory() {
  const nothing = await startBare(`${demo.url}style.css`)
  told('of an empty page', await nothing.memory())
  await nothing.stop()

  let bare = await startBare(demo.url)
  await bare.evaluate(shows, '#message-ready', 'open and set up')
  told('of a page just opened, before a proof', await bare.memory())
  await bare.evaluate(enter, '#message-size', '65536')
  await bare.evaluate(shows, '#message-ready', 'open and set up')
  const proof = bare.evaluate(`(shows) => {
    document.querySelector('#message-prove').click()
    return (${shows})('[data-run="message"] .verdict', 'Accepted')
  }`)
  told('during a proof of 23 million AND gates and while the next session is set up', await bare.most(proof))
  await bare.stop()

  // The module of web data beside that of claims, whose session is open.
  bare = await startBare(demo.url)
  await bare.evaluate(shows, '#message-ready', 'open and set up')
  await bare.evaluate(shows, '#website-address', 'https://localhost:')
  await bare.evaluate(enter, '#website-page', '/bookings')
  await bare.evaluate(enter, '#website-cookie', FILLER)
  const seen = bare.evaluate(`() => {
    document.querySelector('#website-prove').click()
    return (${shows})('[data-run="website"] .verdict', 'Attested')
  }`)
  told('while a page of a website is proved, in a page just opened', await bare.most(seen))
  await bare.stop()
}

async function measureLoading() {
  const other = await startBrowser()
  // A file that loads no module by itself, in a browser that has none yet: from the first byte to a compiled module, and to a worker with it
  // that has checked a witness.
  for (const name of ['volery-simd', 'volery-plain', 'volery-web-simd', 'volery-web-plain']) {
    const times = []
    for (let run = 0; run < 3; run++) {
      const empty = await openPage(other, `${demo.url}style.css`)
      times.push(
        await empty.evaluate(async (name) => {
          const { compiledModule } = await import('/volery/modules.js')
          const start = performance.now()
          await compiledModule(name)
          return performance.now() - start
        }, name),
      )
      await empty.context().close()
    }
    console.log(`loading and compiling ${name}: least ${Math.min(...times).toFixed(0)} ms of three`)
  }
  const checks = []
  for (let run = 0; run < 3; run++) {
    const empty = await openPage(other, `${demo.url}style.css`)
    checks.push(
      await empty.evaluate(async () => {
        const { check } = await import('/volery/index.js')
        const values = { length: 3, digest: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' }
        const start = performance.now()
        await check({ statement: 'sha256-preimage', values }, '0x616263')
        return performance.now() - start
      }),
    )
    await empty.context().close()
  }
  console.log(`the same, a worker, and a check of a witness in it: least ${Math.min(...checks).toFixed(0)} ms of three`)
  await other.close()
}

if (!suspended) {
  await measureMemory()
  await measureLoading()
}

const preimage = await ten(async () => {
  await message.getByText('open and set up').waitFor()
  return clickToVerdict('message', 'Accepted')
})
console.log(`SHA-256 preimage, click to verdict, module compiled and connection open: ${preimage}`)

// 5.7 million AND gates.
await message.getByLabel('How much to prove').selectOption('16384')
const speeds = []
for (let run = 0; run < 3; run++) {
  await message.getByText('open and set up').waitFor()
  await click()
  await verdict(message, 'Accepted by the verifier')
  speeds.push(await message.locator('[data-figure="speed"]').innerText())
}
console.log(`16 kB: AND gates ${speeds.join(', ')}`)

/** In the page: proves a chain of `count` squares over F61, a constraint system as circom writes it, and says how fast. */
async function squares(count) {
  const P = (1n << 61n) - 1n
  const [{ announce }, { open }] = await Promise.all([import('/claims.js'), import('/volery/index.js')])
  const low = (value) => Number(value & 0xffffffffn)
  const prime = [8, low(P), low(P >> 32n)]
  // Wires: 1, the last square, the first number, then the squares in between.
  const wires = [2, ...Array.from({ length: count - 1 }, (_, i) => i + 3), 1]
  const constraints = new Uint32Array(12 * count)
  const values = new Uint32Array(2 * (count + 2))
  const set = (wire, value) => values.set([low(value), low(value >> 32n)], 2 * wire)
  let value = 123456789n
  set(0, 1n)
  set(2, value)
  for (let i = 0; i < count; i++) {
    constraints.set([1, wires[i], 1, 0, 1, wires[i], 1, 0, 1, wires[i + 1], 1, 0], 12 * i)
    value = (value * value) % P
    set(wires[i + 1], value)
  }
  const labels = new Uint32Array(2 * (count + 2)).map((_, i) => (i % 2 === 0 ? i / 2 : 0))
  /** A file of circom's: sections of words of 4 bytes each. */
  const bytes = (kind, version, ...sections) => {
    const parts = [new Uint32Array([kind, version, sections.length])]
    for (const [index, section] of sections.entries()) parts.push(new Uint32Array([index + 1, 4 * section.length, 0]), Uint32Array.from(section))
    return new Blob(parts).arrayBuffer()
  }
  const [r1cs, wtns] = await Promise.all([
    bytes(0x73633172, 1, [...prime, count + 2, 1, 0, 1, count + 2, 0, count], constraints, labels),
    bytes(0x736e7477, 2, [...prime, count + 2], values),
  ])
  const claim = { r1cs: new Uint8Array(r1cs), public: `["${value}"]\n` }
  const speeds = []
  for (let run = 0; run < 3; run++) {
    // A session of the demonstration has one proof.
    const session = await open((await announce(claim)).url, claim)
    const told = []
    const report = await session.prove(new Uint8Array(wtns), { onProgress: ({ done, total }) => told.push([performance.now(), done / total]) })
    const [[start, from], [end, to]] = [told[0], told.at(-1)]
    speeds.push([count / report.seconds, (1000 * count * (to - from)) / (end - start)])
    session.close()
  }
  return speeds.map((pair) => pair.map((speed) => `${(speed / 1e6).toFixed(2)} million/s`))
}
const speedsOverF61 = await page.evaluate(`(${squares})(${1 << 19})`)
for (const [all, messages] of speedsOverF61) {
  console.log(`2^19 constraints over F61, squares: ${all} by the report, which has the reading of the witness in it, ${messages} from message to message`)
}

const website = section(page, 'Prove what a website says')
const attestation = section(page, 'Check an attestation')
await askFor(website)
const attested = await ten(() => clickToVerdict('website', 'Attested'))
await attestation.getByRole('button', { name: 'Check the attestation' }).click()
await verdict(attestation, 'Valid')
const sizes = await attestation.locator('h3').allInnerTexts()
const [sent, received] = await Promise.all(['sent', 'received'].map((name) => website.locator(`[data-figure="${name}"]`).innerText()))
console.log(`a page, click to attestation (${sizes.slice(1).join('; ')}): ${attested}; ${sent} sent and ${received} received`)
await browser.close()
demo.stop()
