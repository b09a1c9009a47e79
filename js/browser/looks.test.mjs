// How the page looks and is operated: on a phone, light and dark, without a mouse.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { openPage, section, startBrowser, startDemo, verdict } from './parties.mjs'

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

/** A new page, which is closed after the test and must have reported no problem. */
async function open(t, options) {
  const page = await openPage(browser, demo.url, options)
  t.after(async () => {
    await page.context().close()
    assert.deepEqual(page.problems, [])
  })
  return page
}

/** Texts in a colour on a ground of another, as the style has them. */
const PAIRS = [
  ...['text', 'soft', 'accent'].flatMap((colour) => ['back', 'card'].map((ground) => [colour, ground])),
  ...[['on-accent', 'accent'], ['good', 'good-back'], ['bad', 'bad-back']],
]

/** The contrast of two colours by WCAG 2: 1 to 21. */
function contrast(one, other) {
  const luminance = (colour) => {
    const digits = colour.length === 4 ? colour.replace(/[0-9a-f]/gi, '$&$&') : colour
    const [r, g, b] = digits.match(/[0-9a-f]{2}/gi).map((pair) => {
      const part = parseInt(pair, 16) / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

test('all texts are readable on their grounds, light and dark', async (t) => {
  assert.equal(contrast('#fff', '#000').toFixed(1), '21.0')
  const seen = new Set()
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(t, { colorScheme })
    const colours = await page.evaluate((names) => {
      const style = getComputedStyle(document.documentElement)
      return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]))
    }, [...new Set(PAIRS.flat())])
    seen.add(colours.text)
    for (const [colour, ground] of PAIRS) {
      const found = contrast(colours[colour], colours[ground])
      assert.ok(found >= 4.5, `${colorScheme}: ${colour} on ${ground} has a contrast of ${found.toFixed(2)}`)
    }
  }
  assert.equal(seen.size, 2)
})

test('nothing of the page is wider than a phone, whatever it says', async (t) => {
  const page = await open(t, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' })
  const fits = async (when) => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), when)
  await fits('at first')
  const message = section(page, 'Prove a message')
  await message.getByRole('button', { name: 'Prove that I know it' }).click()
  await verdict(message, 'Accepted by the verifier')
  await message.getByText('own verdict: accepted').waitFor()
  await fits('with a proof')
  await message.getByRole('button', { name: 'Cheat' }).click()
  await verdict(message, 'Rejected by the verifier')
  await fits('with a cheat')
  const circuit = section(page, 'Prove a circuit of your own')
  await circuit.getByRole('button', { name: 'Take an example' }).click()
  await circuit.getByRole('button', { name: 'Prove it' }).click()
  await verdict(circuit, 'Accepted by the verifier')
  await fits('with a circuit')
  const website = section(page, 'Prove what a website says')
  await website.getByText('https://localhost:').waitFor()
  await website.getByRole('button', { name: 'Fetch and prove' }).click()
  await verdict(website, 'Attested by the notary')
  const attestation = section(page, 'Check an attestation')
  await attestation.getByRole('button', { name: 'Check the attestation' }).click()
  await verdict(attestation, 'Valid')
  assert.ok(await page.locator('#attestation-said .message').first().isVisible())
  await fits('with an attestation')
  const proof = section(page, 'Check a public proof')
  await proof.getByRole('button', { name: 'Make one' }).click()
  await verdict(proof, 'Made: a proof that anybody can check')
  await proof.getByRole('button', { name: 'Check it' }).click()
  await verdict(proof, 'Right: the proof holds')
  await fits('with a public proof')
})

test('a person without a mouse comes to everything in its order, and proves', async (t) => {
  const page = await open(t)
  await section(page, 'Prove what a website says').getByText('https://localhost:').waitFor()
  const stops = []
  /** Presses Tab until `id` has the focus. */
  const go = async (id) => {
    for (let stop = 0; stop < 40 && stops.at(-1) !== id; stop++) {
      await page.keyboard.press('Tab')
      stops.push(await page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim()))
    }
    assert.equal(stops.at(-1), id, stops.join())
  }
  const press = async (id, name, expected) => {
    await go(id)
    await page.keyboard.press('Enter')
    await verdict(section(page, name), expected)
  }
  await go('circuit-example')
  await page.keyboard.press('Enter')
  await press('circuit-prove', 'Prove a circuit of your own', 'Accepted by the verifier')
  await press('website-prove', 'Prove what a website says', 'Attested by the notary')
  await press('attestation-check', 'Check an attestation', 'Valid')
  await press('public-make', 'Check a public proof', 'Made: a proof that anybody can check')
  await press('public-check', 'Check a public proof', 'Right: the proof holds')
  // In the order of the page, and each once.
  const order = await page.evaluate(() => [...document.querySelectorAll('input, select, textarea, button')].map(({ id }) => id).filter((id) => id !== ''))
  const controls = stops.filter((stop) => order.includes(stop))
  assert.deepEqual(controls, order.filter((id) => controls.includes(id)))
  for (const id of ['message-text', 'circuit-files', 'circuit-secret', 'website-cookie', 'website-least', 'attestation-file', 'attestation-key', 'public-file']) {
    assert.ok(controls.includes(id), id)
  }
})
