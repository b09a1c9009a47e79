// The page by clicking: what it proves, and what it says when something is wrong.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'

import { forge, forger } from '../test/forged.mjs'
import { freePort, openPage, section, startBrowser, startDemo, startProxy, until, verdict } from './parties.mjs'

let demo
let browser

before(async () => {
  demo = await startDemo()
  browser = await startBrowser()
})

after(async () => {
  await browser?.close()
  demo?.stop()
})

const MESSAGE = 'Prove a message'
const CIRCUIT = 'Prove a circuit of your own'
const PUBLIC = 'Check a public proof'
const WEBSITE = 'Prove what a website says'
const ATTESTATION = 'Check an attestation'
const corpus = (path) => readFile(new URL(`../../fuzz/corpus/${path}`, import.meta.url))

/** A section of a new page, which is closed after the test, and must have reported no problem unless `problems` says so. */
async function open(t, name, { url = demo.url, problems = /^$/, browser: other = browser, ...options } = {}) {
  const page = await openPage(other, url, options)
  t.after(async () => {
    await page.context().close()
    for (const problem of page.problems) assert.match(problem, problems)
  })
  return [section(page, name), page]
}

const accepted = (lines) => lines.filter((line) => line.startsWith('accepted: ')).length
const rejected = (lines) => lines.filter((line) => line.startsWith('rejected: ')).length

test('a message that is typed in is proved, twice, and a cheat is rejected', async (t) => {
  const [place] = await open(t, MESSAGE)
  await place.getByLabel('Your secret message').fill('abc')
  await place.getByText('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad').waitFor()
  await place.getByText('open and set up').waitFor()
  for (const count of [1, 2]) {
    const before = accepted(demo.lines)
    await place.getByRole('button', { name: 'Prove that I know it' }).click()
    await verdict(place, 'Accepted by the verifier')
    await place.getByText('verifier’s own verdict: accepted').waitFor()
    const panel = await place.locator('.panel').innerText()
    assert.match(panel, /AND gates\. A false claim is accepted with a probability below one in 2\^1\d\d/, `proof ${count}`)
    assert.match(panel, /Sent\s*[\d.]+ kB/)
    assert.equal(await place.getByRole('progressbar').getAttribute('value'), '1')
    await until(() => accepted(demo.lines) === before + 1, 'the verifier prints its verdict')
  }
  const before = rejected(demo.lines)
  await place.getByRole('button', { name: 'Cheat' }).click()
  const panel = await verdict(place, 'Rejected by the verifier')
  assert.match(panel, /The verifier’s own words: ./)
  await until(() => rejected(demo.lines) === before + 1, 'the verifier prints its verdict')
})

test('a person without a mouse proves', async (t) => {
  const [place, page] = await open(t, MESSAGE)
  const stops = []
  for (let stop = 0; stop < 20 && stops.at(-1) !== 'message-prove'; stop++) {
    await page.keyboard.press('Tab')
    stops.push(await page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim()))
  }
  assert.deepEqual(stops, [
    'Prove a message',
    'Prove a circuit',
    'Prove what a website says',
    'Check an attestation',
    'Check a public proof',
    'message-text',
    'message-size',
    'message-prove',
  ])
  await page.keyboard.press('Enter')
  await verdict(place, 'Accepted by the verifier')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'message-prove')
  assert.equal(await place.getByRole('status').count(), 1)
  // Whoever does not see the page hears a name for everything that takes input.
  const unnamed = await page.evaluate(() =>
    [...document.querySelectorAll('input, select, textarea, progress')].filter(
      (element) => !element.labels?.length && !element.getAttribute('aria-label'),
    ).map((element) => element.outerHTML),
  )
  assert.deepEqual(unnamed, [])
})

test('a circuit in Bristol format is proved from files, and a wrong witness is not sent', async (t) => {
  const [place, page] = await open(t, CIRCUIT)
  const majority = '4 7\n3 1 1 1\n1 1\n\n2 1 0 2 3 XOR\n2 1 1 2 4 XOR\n2 1 3 4 5 AND\n2 1 5 2 6 XOR\n'
  const file = (name, text) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
  await page.locator('#circuit-files').setInputFiles([
    file('two-of-three.txt', majority),
    file('secret.txt', '0b1\n0b0\n0b1\n'),
    file('public.txt', 'output 0 = 0b1\n'),
  ])
  await place.getByText('two-of-three.txt (Bristol').waitFor()
  await place.getByRole('button', { name: 'Prove it' }).click()
  await verdict(place, 'Accepted by the verifier')
  const before = demo.lines.length
  await place.getByLabel('Secret inputs').fill('0b0\n0b0\n0b1\n')
  await place.getByRole('button', { name: 'Prove it' }).click()
  await verdict(place, 'Not proved')
  await until(() => demo.lines.length > before, 'the verifier sees the session end')
  assert.equal(accepted(demo.lines.slice(before)), 0)
})

test('circom files that are dropped are proved, over F61 and over the scalars of BN254', async (t) => {
  const [place, page] = await open(t, CIRCUIT)
  for (const name of ['f61-4', 'bn254-2']) {
    const [r1cs, wtns] = [await corpus(`r1cs/${name}`), await corpus(`wtns/${name}`)]
    const data = await page.evaluateHandle(
      (files) => {
        const data = new DataTransfer()
        for (const [name, bytes] of files) data.items.add(new File([new Uint8Array(bytes)], name))
        return data
      },
      [
        [`${name}.wtns`, [...wtns]],
        [`${name}.r1cs`, [...r1cs]],
      ],
    )
    await place.locator('.drop').dispatchEvent('drop', { dataTransfer: data })
    await place.getByText(`${name}.r1cs (circom`).waitFor()
    await place.getByText(`${name}.wtns (circom`).waitFor()
    assert.match(await place.getByLabel('Public values').inputValue(), /^\["\d+"/)
    await place.getByRole('button', { name: 'Prove it' }).click()
    await verdict(place, 'Accepted by the verifier')
    await place.getByText(/[1-9][\d,]* (secret values|multiplications)\. A false claim/).waitFor()
  }
})

test('files that are no circuit are refused with a reason, here or by the verifier', async (t) => {
  const [place, page] = await open(t, CIRCUIT, { problems: /422/ })
  await place.getByRole('button', { name: 'Prove it' }).click()
  await verdict(place, 'Not proved')
  await page.locator('#circuit-files').setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: Buffer.from([255, 216, 255, 0]) })
  assert.match(await verdict(place, 'Not a file for this'), /photo\.jpg is no circuit/)
  await page.locator('#circuit-files').setInputFiles({ name: 'cut.txt', mimeType: 'text/plain', buffer: Buffer.from('4 7\n3 1 1 1\n1 1\n\n2 1 0') })
  await place.getByText('cut.txt (Bristol').waitFor()
  await place.getByRole('button', { name: 'Prove it' }).click()
  assert.match(await verdict(place, 'Not proved'), /the verifier says: /)
})

test('a public proof is made, downloaded, dropped back and checked; a changed one and one of something else are not right', async (t) => {
  const [place, page] = await open(t, PUBLIC)
  await section(page, MESSAGE).getByLabel('Your secret message').fill('abc')
  await place.getByRole('button', { name: 'Make one' }).click()
  await verdict(place, 'Made: a proof that anybody can check')
  const [download] = await Promise.all([page.waitForEvent('download'), place.getByRole('link', { name: 'Download' }).click()])
  const proof = await readFile(await download.path())

  const check = async (name, bytes, expected) => {
    await page.locator('#public-file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: bytes })
    await place.getByText(`${name} (`).waitFor()
    await place.getByRole('button', { name: 'Check it' }).click()
    return verdict(place, expected)
  }
  await check('back.proof', proof, 'Right: the proof holds')
  const changed = Buffer.from(proof)
  changed[changed.length >> 1] ^= 1
  await check('changed.proof', changed, 'Wrong: the proof does not hold')
  await place.getByLabel('Length of the message').fill('4')
  await check('other.proof', proof, 'This proof is about something else')
  await check('photo.jpg', Buffer.from([255, 216, 255, 0]), 'Not proved')

  // A verdict goes with what it is about.
  const panel = place.locator('.panel')
  const goes = async (change) => {
    await place.getByLabel('Length of the message').fill('3')
    await check('again.proof', proof, 'Right: the proof holds')
    await change()
    assert.ok(!(await panel.isVisible()))
  }
  await goes(() => place.getByLabel('Length of the message').fill('4'))
  await goes(() => place.getByLabel('Digest, in hexadecimal').fill('00'))
  await place.getByLabel('Digest, in hexadecimal').fill('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  await holdFiles(page)
  await goes(() => page.locator('#public-file').setInputFiles({ name: 'slow.proof', mimeType: 'x/y', buffer: changed }))
  await page.locator('#public-file').setInputFiles({ name: 'quick.proof', mimeType: 'x/y', buffer: proof })
  await place.getByText('quick.proof (').waitFor()
  await releaseFiles(page)
  assert.ok(await place.getByText('quick.proof (').isVisible())
  // The check of what was there before has no verdict, and holds no other up.
  await page.evaluate(() => {
    document.getElementById('public-form').requestSubmit()
    const length = document.getElementById('public-length')
    length.value = '4'
    length.dispatchEvent(new Event('input', { bubbles: true }))
    document.getElementById('public-form').requestSubmit()
  })
  await verdict(place, 'This proof is about something else')
})

/** Holds up the reading of files whose names begin with `slow`. */
function holdFiles(page) {
  return page.evaluate(() => {
    const read = Blob.prototype.arrayBuffer
    const held = new Promise((resolve) => (globalThis.releaseHeld = resolve))
    Blob.prototype.arrayBuffer = async function () {
      if (this.name?.startsWith('slow')) await held
      return read.call(this)
    }
  })
}

/** Lets them be read, and waits until they are. */
function releaseFiles(page) {
  return page.evaluate(async () => {
    globalThis.releaseHeld()
    await new Blob(['x']).arrayBuffer()
    await new Promise((resolve) => setTimeout(resolve, 100))
  })
}

/** Has the section check an attestation with the key that is there, and waits for the verdict. */
async function checkAttestation(page, name, bytes, expected) {
  const place = section(page, ATTESTATION)
  await page.locator('#attestation-file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: bytes })
  await place.getByText(`${name} (`).waitFor()
  await place.getByRole('button', { name: 'Check the attestation' }).click()
  return verdict(place, expected)
}

test('a field of a page is proved with the notary, and the attestation is downloaded, dropped back and checked', async (t) => {
  const [place, page] = await open(t, WEBSITE)
  const said = page.locator('#attestation-said')
  await place.getByText('https://localhost:').waitFor()
  const key = await page.locator('#website-key').innerText()
  await place.getByRole('button', { name: 'Fetch and prove' }).click()
  const panel = await verdict(place, 'Attested by the notary')
  assert.match(panel, /Sent\s*[\d.]+ MB\s*Received\s*[\d.]+ [kM]B/)
  const summary = /attested: .*\/account, 200, .*currency = "EUR", balance is at least 5000 \(hidden\)/
  await until(() => demo.lines.some((line) => summary.test(line)), 'the notary says what it signed')
  const [download] = await Promise.all([page.waitForEvent('download'), place.getByRole('link', { name: 'Download' }).click()])
  assert.equal(download.suggestedFilename(), 'page.attestation')
  const path = await download.path()
  const attestation = await readFile(path)
  const native = spawnSync(process.env.VOLERY, ['attestation', 'verify', path, '--key', key], { encoding: 'utf8' })
  assert.match(native.stdout, /^valid .*currency = "EUR", balance is at least 5000 \(hidden\)/, native.stderr)

  // Another page, which has nothing but the file.
  const [reader, other] = await open(t, ATTESTATION)
  await other.waitForFunction((key) => document.getElementById('attestation-key').value === key, key)
  await checkAttestation(other, 'back.attestation', attestation, 'Valid: signed with the key of this demonstration’s notary')
  assert.match(await reader.innerText(), /It proves nothing outside of the demonstration/)
  const pieces = (kind) => reader.locator(`.message .${kind}`).allInnerTexts()
  assert.deepEqual(await pieces('claimed'), ['‹balance: is a number of at least 5000›'])
  assert.deepEqual(await pieces('hidden'), [
    '‹header Cookie: hidden, 12 bytes›',
    '‹holder: <...>, "account": <...>: hidden together, 38 bytes›',
  ])
  const revealed = (await pieces('revealed')).join('…')
  assert.match(revealed, /GET \/account HTTP\/1\.1[^]*"currency": "EUR"/)
  const text = await reader.innerText()
  for (const secret of ['5120', 'Ada', '4029', 'session=demo']) assert.ok(!text.includes(secret), secret)
  assert.ok(text.includes('https://localhost:') && text.includes(key))

  // Dropped, changed in one byte, by another notary, and no attestation at all.
  const data = await page.evaluateHandle((bytes) => {
    const data = new DataTransfer()
    data.items.add(new File([new Uint8Array(bytes)], 'dropped.attestation'))
    return data
  }, [...attestation])
  await section(page, ATTESTATION).locator('.drop').dispatchEvent('drop', { dataTransfer: data })
  await section(page, ATTESTATION).getByText('dropped.attestation (').waitFor()
  await section(page, ATTESTATION).getByRole('button', { name: 'Check the attestation' }).click()
  await verdict(section(page, ATTESTATION), 'Valid')
  assert.ok(await said.isVisible())
  const changed = Buffer.from(attestation)
  changed[changed.indexOf('EUR')] ^= 1
  await checkAttestation(page, 'changed.attestation', changed, 'Wrong: do not believe it')
  assert.ok(!(await said.isVisible()))
  await checkAttestation(page, 'photo.jpg', Buffer.from([255, 216, 255, 0]), 'This is no attestation')
  const stranger = await startDemo()
  t.after(() => stranger.stop())
  const { notaryKey } = await (await fetch(`${stranger.url}website`)).json()
  await section(page, ATTESTATION).getByLabel('The key of the notary').fill(notaryKey)
  await checkAttestation(page, 'again.attestation', attestation, 'Wrong: do not believe it')
  await section(page, ATTESTATION).getByLabel('The key of the notary').fill('abc')
  assert.match(await checkAttestation(page, 'once-more.attestation', attestation, 'Not checked'), /64 hexadecimal digits/)
})

/** Proves the account's page with what the form says at first. */
async function attested(page) {
  const place = section(page, WEBSITE)
  await place.getByText('https://localhost:').waitFor()
  await place.getByRole('button', { name: 'Fetch and prove' }).click()
  await verdict(place, 'Attested by the notary')
  const [download] = await Promise.all([page.waitForEvent('download'), place.getByRole('link', { name: 'Download' }).click()])
  return readFile(await download.path())
}

test('what a website or a forger wrote is drawn as what it is, with all that is hidden, and with warnings', async (t) => {
  const [, page] = await open(t, WEBSITE)
  const attestation = await attested(page)
  const place = section(page, ATTESTATION)
  const said = page.locator('#attestation-said')
  const key = place.getByLabel('The key of the notary')
  // Each has as many bytes as what it replaces. The last one is a field from which servers may take the path.
  const evil = forge(attestation, ['EUR', '\u202e'], ['"currency"', '"cur\u200bcy"'], ['Accept-Encoding', 'X-Original-URLs'])
  await key.fill(forger)
  await checkAttestation(page, 'evil.attestation', evil, 'Valid: signed with the key that you gave')
  const text = await said.innerText()
  assert.match(text, /The one that you gave above/)
  assert.doesNotMatch(text, /[\u202e\u200b]/)
  assert.match(text, /\\u\{202e\}/)
  assert.deepEqual(await said.locator('.message .escape').allInnerTexts(), ['\\u{200b}', '\\u{202e}'])
  assert.match(await said.locator('.warnings').innerText(), /header field X-Original-URLs/)
  // Whatever is not shown has a mark: the bytes of all pieces are those of the message.
  assert.deepEqual(await said.locator('.message .piece').evaluateAll((all) => [...new Set(all.map(({ className }) => className))].sort()), [
    'piece claimed',
    'piece hidden',
    'piece revealed',
  ])
  for (const kind of ['Revealed', 'Claimed', 'Committed', 'Hidden']) assert.ok(await said.locator('.legend').getByText(`${kind}: `).isVisible())

  // What is no HTTP and no JSON any more, with words of HTML.
  const broken = forge(attestation, ['EUR', 'E\u0007R'], ['currency', '<b>x</b>'])
  await checkAttestation(page, 'broken.attestation', broken, 'Valid: signed with the key that you gave')
  assert.deepEqual(await said.locator('.message .escape').allInnerTexts(), ['\\u{7}'])
  assert.ok((await said.innerText()).includes('<b>x</b>') && (await said.locator('b').count()) === 0)
  assert.match(await said.locator('.warnings').innerText(), /cannot be read again/)

  // Without a key, it is shown, and said to be nobody's.
  await key.fill('')
  await checkAttestation(page, 'nobody.attestation', evil, 'Not checked: no key was given')
  assert.match(await said.innerText(), /Nobody has compared it with a key that you trust/)
  assert.ok((await said.innerText()).includes(forger))
})

test('every byte of a message has a mark that says what it is', async (t) => {
  const [, page] = await open(t, ATTESTATION)
  const drawn = await page.evaluate(async () => {
    const { draw } = await import('/attested.js')
    const place = document.createElement('div')
    const one = (part, ranges, more) => ({ part, class: 'json-text', ranges, claims: [], commit: null, leaves: [], ...more })
    const query = {
      length: 30,
      commitments: [{}],
      revealed: [{ start: 0, end: 4, text: 'GET ' }, { start: 20, end: 22, hex: 'ff00' }],
      hidden: [
        one('json a', [{ start: 4, end: 6 }, { start: 8, end: 9 }], { claims: [{ words: 'is x' }, { words: 'is \u202ey' }] }),
        one('json b', [{ start: 10, end: 11 }], { commit: 'bytes' }),
        one('json c', [{ start: 11, end: 13 }], { leaves: ['00'] }),
        one('header d', [{ start: 13, end: 14 }]),
      ],
    }
    const response = { length: 3, commitments: [], revealed: [], hidden: [] }
    const said = { server_name: 'x', port: 1, certificate: 'c', time: 't', tls: '1.3', suite: 's', mode: 'proxy', alpn: false, rounds: 2 }
    const attestation = { ...said, pipelined: true, context: '\u200bc', holder: 'h', query, response }
    draw(place, { signer: 'k', attestation, summary: ['one', 'two'], warnings: ['w\u2066'] }, 'nobody’s')
    const pieces = [...place.querySelectorAll('.message .piece')].map(({ className, textContent }) => [className.slice(6), textContent])
    return [pieces, place.querySelector('dl').textContent, place.querySelector('.warnings').textContent]
  })
  assert.deepEqual(drawn[0], [
    ['revealed', 'GET '],
    ['claimed', '‹a: is x, and is \\u{202e}y›'],
    ['hidden', '‹2 bytes of which nothing is said›'],
    ['claimed', '‹a: goes on›'],
    ['hidden', '‹1 byte of which nothing is said›'],
    ['committed', '‹b: hidden, 1 byte; committed to›'],
    ['committed', '‹c: hidden, 2 bytes; committed to›'],
    ['hidden', '‹header d: hidden, 1 byte›'],
    ['hidden', '‹6 bytes of which nothing is said›'],
    ['revealed', '(bytes ff00)'],
    ['hidden', '‹8 bytes of which nothing is said›'],
    ['hidden', '‹3 bytes of which nothing is said›'],
  ])
  for (const words of ['Made for\\u{200b}c', 'Requests2, sent at once', 'Holderh', 'Commitments1', 'Whose keynobody’s', 'named no protocol']) {
    assert.ok(drawn[1].includes(words), `${words}: ${drawn[1]}`)
  }
  assert.equal(drawn[2], 'w\\u{2066}')
})

test('a verdict is about one file and one key, and goes with either', async (t) => {
  const [, page] = await open(t, WEBSITE)
  const attestation = await attested(page)
  const place = section(page, ATTESTATION)
  const [panel, said] = [place.locator('.panel'), page.locator('#attestation-said')]
  const key = place.getByLabel('The key of the notary')
  const own = await key.inputValue()
  const isClear = async () => assert.deepEqual([await panel.isVisible(), await said.isVisible()], [false, false])
  const valid = (name) => checkAttestation(page, name, attestation, 'Valid')
  await valid('one.attestation')
  await key.fill(forger)
  await isClear()
  await key.fill(own)
  await valid('two.attestation')
  const changed = Buffer.from(attestation)
  changed[changed.indexOf('EUR')] ^= 1
  await holdFiles(page)
  const slow = { name: 'slow.attestation', mimeType: 'x/y', buffer: changed }
  await page.locator('#attestation-file').setInputFiles(slow)
  await isClear()
  // While it is being read there is nothing to check.
  await place.getByRole('button', { name: 'Check the attestation' }).click()
  assert.match(await verdict(place, 'Not checked'), /there is no attestation yet/)
  await valid('three.attestation')
  // The first one, read at last, is not what is there.
  await releaseFiles(page)
  assert.ok(await place.getByText('three.attestation (').isVisible())
  assert.ok((await panel.isVisible()) && (await said.isVisible()))
  // A check whose key changes has no verdict; the next one has.
  await page.evaluate((forger) => {
    const form = document.getElementById('attestation-form')
    form.requestSubmit()
    const key = document.getElementById('attestation-key')
    key.value = forger
    key.dispatchEvent(new Event('input', { bubbles: true }))
    form.requestSubmit()
  }, forger)
  await verdict(place, 'Wrong: do not believe it')
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)))
  assert.match(await panel.innerText(), /Wrong: do not believe it/)
  assert.ok(!(await said.isVisible()))
})

test('the demonstration’s website is for this machine, unless the command line says otherwise', async (t) => {
  const of = async (...options) => {
    const behind = await startDemo(...options)
    t.after(() => behind.stop())
    return [(await fetch(`${behind.url}website`)).status, behind]
  }
  const [status, shared] = await of('--origin', 'https://demo.example')
  assert.equal(status, 403)
  const [place, page] = await open(t, WEBSITE, { url: shared.url, problems: /403/ })
  await place.getByText('are for this machine').waitFor()
  await place.getByRole('button', { name: 'Fetch and prove' }).click()
  assert.match(await verdict(place, 'Not proved'), /--website-for-all/)
  const opened = await page.evaluate((url) => new Promise((resolve) => {
    const socket = new WebSocket(url)
    socket.onopen = () => resolve(true)
    socket.onerror = () => resolve(false)
  }), `${shared.url.replace('http', 'ws')}notary/${'0f'.repeat(16)}`)
  assert.equal(opened, false)
  assert.equal((await of('--origin', 'https://demo.example', '--website-for-all'))[0], 200)
  assert.equal((await of('--origin', 'http://localhost:1'))[0], 200)
})

test('what is not true of a page is not proved, what is chosen is shown, and what is not there is told', async (t) => {
  const [place, page] = await open(t, WEBSITE)
  const prove = () => place.getByRole('button', { name: 'Fetch and prove' }).click()
  await place.getByText('https://localhost:').waitFor()
  await place.getByLabel('It is at least').fill('6000')
  await prove()
  assert.match(await verdict(place, 'Not proved'), /not true/)
  await place.getByLabel('Page').selectOption('/bookings')
  await place.getByLabel('Holder').selectOption('show')
  await place.getByLabel('Balance').selectOption('hide')
  assert.ok(!(await place.getByLabel('It is at least').isVisible()))
  await prove()
  await verdict(place, 'Attested by the notary')
  await section(page, ATTESTATION).getByRole('button', { name: 'Check the attestation' }).click()
  await verdict(section(page, ATTESTATION), 'Valid')
  const text = await section(page, ATTESTATION).innerText()
  assert.ok(text.includes('Ada Lovelace') && !text.includes('5120') && !text.includes('Bernoulli') && text.includes('bookings'), text)
  await place.getByLabel('Your cookie').fill('session=other')
  await prove()
  assert.match(await verdict(place, 'Not proved'), /holder/)
})

test('a page that is being proved can be left, and the notary signs nothing', async (t) => {
  const [place, page] = await open(t, WEBSITE)
  await place.getByText('https://localhost:').waitFor()
  for (const leave of [() => place.getByRole('button', { name: 'Cancel' }).click(), () => page.reload()]) {
    const before = demo.lines.length
    await place.getByRole('button', { name: 'Fetch and prove' }).click()
    await place.getByText('Preparing the connection').waitFor()
    await leave()
    await until(() => demo.lines.length > before, 'the notary sees the session end')
    assert.match(demo.lines.at(-1), /^failed: /)
  }
  await place.getByText('https://localhost:').waitFor()
  await place.getByRole('button', { name: 'Fetch and prove' }).click()
  await verdict(place, 'Attested by the notary')
})

/** Chooses a proof that takes some seconds, and begins it. */
async function begin(place) {
  await place.getByLabel('How much to prove').selectOption('65536')
  await place.getByText('open and set up').waitFor()
  await place.getByRole('button', { name: 'Prove that I know it' }).click()
  await place.locator('progress:not([value="0"])').waitFor()
}

test('a proof that is cancelled ends at once, and another one begins', async (t) => {
  const [place, page] = await open(t, MESSAGE)
  await begin(place)
  const before = demo.lines.length
  const cancel = place.getByRole('button', { name: 'Cancel' })
  await cancel.focus()
  await page.keyboard.press('Enter')
  await verdict(place, 'Cancelled')
  await until(() => demo.lines.length > before, 'the verifier sees the session end')
  assert.ok(!accepted(demo.lines.slice(before)) && !(await cancel.isVisible()))
  assert.equal(await page.evaluate(() => document.activeElement.id), 'message-prove')
  await place.getByLabel('How much to prove').selectOption('0')
  await place.getByText('open and set up').waitFor()
  await place.getByRole('button', { name: 'Prove that I know it' }).click()
  await verdict(place, 'Accepted by the verifier')
})

test('a page that is loaded again in the middle of a proof ends it, and proves anew', async (t) => {
  const [place, page] = await open(t, MESSAGE)
  await begin(place)
  const before = demo.lines.length
  await page.reload()
  await until(() => demo.lines.length > before, 'the verifier sees the session end')
  assert.equal(accepted(demo.lines.slice(before)), 0)
  await place.getByLabel('How much to prove').selectOption('0')
  await place.getByRole('button', { name: 'Prove that I know it' }).click()
  await verdict(place, 'Accepted by the verifier')
})

test('a connection that is lost in the middle of a proof is told, and the next proof has a new one', async (t) => {
  const port = await freePort()
  const behind = await startDemo('--origin', `http://127.0.0.1:${port}`)
  const proxy = await startProxy(port, behind.address)
  t.after(() => behind.stop())
  t.after(() => proxy.stop())
  const [place] = await open(t, MESSAGE, { url: proxy.url, problems: /ERR_CONNECTION_REFUSED/ })
  await begin(place)
  proxy.cut()
  assert.match(await verdict(place, 'Not proved'), /closed the connection|connection .* is closed/)
  await until(() => behind.lines.some((line) => line.startsWith('failed: ')), 'the verifier sees it')
  await place.getByLabel('How much to prove').selectOption('0')
  await place.getByText('open and set up').waitFor()
  await place.getByRole('button', { name: 'Prove that I know it' }).click()
  await verdict(place, 'Accepted by the verifier')
  // The program is gone.
  behind.stop()
  proxy.stop()
  await place.getByLabel('Your secret message').fill('another')
  await place.getByText('none: the verifier does not answer').waitFor()
}, { timeout: 120_000 })

/** The program behind a proxy that leaves out the headers that isolate its page. */
async function startOpen(t) {
  const port = await freePort()
  const behind = await startDemo('--origin', `http://127.0.0.1:${port}`)
  const strip = (text) => text.replace(/^Cross-Origin-(Opener|Embedder)-Policy: .*\r\n/gm, '')
  const proxy = await startProxy(port, behind.address, strip)
  t.after(() => behind.stop())
  t.after(() => proxy.stop())
  return proxy
}

test('without the headers that isolate it, the page proves where the engine suspends its prover, and a cheat is rejected', async (t) => {
  const { url } = await startOpen(t)
  const [place, page] = await open(t, MESSAGE, { url })
  assert.equal(await page.evaluate(() => typeof SharedArrayBuffer), 'undefined')
  assert.equal(await page.getByRole('alert').count(), 0)
  await place.getByRole('button', { name: 'Prove that I know it' }).click()
  await verdict(place, 'Accepted by the verifier')
  assert.match(await place.locator('.panel').innerText(), /Sent\s*[\d.]+ kB/)
  await place.getByText('open and set up').waitFor()
  await place.getByRole('button', { name: 'Cheat' }).click()
  await verdict(place, 'Rejected by the verifier')
  const website = section(page, WEBSITE)
  await website.getByText('https://localhost:').waitFor()
  await website.getByRole('button', { name: 'Fetch and prove' }).click()
  await verdict(website, 'Attested')
})

test('with neither, the page names the headers; public proofs work', async (t) => {
  const { url } = await startOpen(t)
  const [place, page] = await open(t, MESSAGE, { url, first: () => void delete WebAssembly.Suspending })
  const alert = await page.getByRole('alert').innerText()
  for (const header of ['Cross-Origin-Opener-Policy: same-origin', 'Cross-Origin-Embedder-Policy: require-corp']) {
    assert.ok(alert.includes(header))
  }
  await place.getByRole('button', { name: 'Prove that I know it' }).click()
  const panel = await verdict(place, 'Not proved')
  assert.match(panel, /Cross-Origin-Opener-Policy: same-origin/)
  assert.match(panel, /Cross-Origin-Embedder-Policy: require-corp/)
  const website = section(page, WEBSITE)
  await website.getByText('https://localhost:').waitFor()
  await website.getByRole('button', { name: 'Fetch and prove' }).click()
  assert.match(await verdict(website, 'Not proved'), /Cross-Origin-Opener-Policy: same-origin/)
  const proofs = section(page, PUBLIC)
  await proofs.getByRole('button', { name: 'Make one' }).click()
  await verdict(proofs, 'Made: a proof that anybody can check')
  await proofs.getByRole('button', { name: 'Check it' }).click()
  await verdict(proofs, 'Right: the proof holds')
})

test('an engine without SIMD takes the other module', async (t) => {
  const plain = await startBrowser('--js-flags=--no-enable-sse4-1')
  t.after(() => plain.close())
  const page = await openPage(plain, 'about:blank')
  const modules = []
  page.on('request', (request) => modules.push(request.url().split('/').pop()))
  await page.goto(demo.url)
  const place = section(page, MESSAGE)
  await place.getByRole('button', { name: 'Prove that I know it' }).click()
  await verdict(place, 'Accepted by the verifier')
  assert.ok(await page.getByText('has no SIMD').isVisible())
  const loaded = modules.filter((name) => name.endsWith('.wasm'))
  assert.deepEqual([...new Set(loaded)], ['volery-plain_bg.wasm'])
  assert.deepEqual(page.problems, [])
})

test('pages of other websites get nothing', async (t) => {
  const [place, page] = await open(t, MESSAGE)
  await place.getByText('open and set up').waitFor()
  const ask = (headers, path = '/claims') =>
    fetch(new URL(path, demo.url), { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: '{}' })
  assert.equal((await ask({ Origin: 'https://evil.example' })).status, 403)
  assert.equal((await ask({})).status, 403)
  assert.equal((await ask({ Origin: demo.url.slice(0, -1) })).status, 422)
  const { headers } = await fetch(demo.url)
  assert.match(headers.get('content-security-policy'), /default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/)
  assert.doesNotMatch(headers.get('content-security-policy'), /unsafe-inline/)
  // A page without an origin of its own, as in a frame of another website.
  const opened = await page.evaluate(async (url) => {
    const socket = new WebSocket(url)
    return new Promise((resolve) => {
      socket.onopen = () => resolve(true)
      socket.onerror = () => resolve(false)
    })
  }, `${demo.url.replace('http', 'ws')}verify/0/00`)
  page.problems.length = 0
  assert.equal(opened, false)
})
