// The page to look at: on a phone and on a desk, light and dark, with verdicts.
import { join } from 'node:path'

import { openPage, section, startBrowser, startDemo, verdict } from './parties.mjs'

const demo = await startDemo()
const browser = await startBrowser()
const SCREENS = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 900 } }
for (const [screen, viewport] of Object.entries(SCREENS)) {
  for (const colorScheme of ['light', 'dark']) {
    const page = await openPage(browser, demo.url, { viewport, colorScheme, deviceScaleFactor: 1 })
    const shoot = (name) => page.screenshot({ path: join(process.env.FOLDER, `${screen}-${colorScheme}-${name}.png`), fullPage: true })
    const message = section(page, 'Prove a message')
    await message.getByText('open and set up').waitFor()
    await shoot('begin')
    await message.getByRole('button', { name: 'Prove that I know it' }).click()
    await verdict(message, 'Accepted by the verifier')
    await message.getByText('own verdict: accepted').waitFor()
    const circuit = section(page, 'Prove a circuit of your own')
    await circuit.getByRole('button', { name: 'Prove it' }).click()
    await verdict(circuit, 'Not proved')
    await circuit.getByRole('button', { name: 'Take an example' }).click()
    const website = section(page, 'Prove what a website says')
    await website.getByText('https://localhost:').waitFor()
    await website.getByRole('button', { name: 'Fetch and prove' }).click()
    await verdict(website, 'Attested by the notary')
    const attestation = section(page, 'Check an attestation')
    await attestation.getByRole('button', { name: 'Check the attestation' }).click()
    await verdict(attestation, 'Valid')
    await shoot('accepted')
    await message.getByRole('button', { name: 'Cheat' }).click()
    await verdict(message, 'Rejected by the verifier')
    await message.getByLabel('How much to prove').selectOption('65536')
    await message.getByText('open and set up').waitFor()
    await shoot('rejected')
    await message.getByRole('button', { name: 'Prove that I know it' }).click()
    await message.locator('progress:not([value="0"])').waitFor()
    await page.waitForTimeout(1000)
    await shoot('running')
    await page.context().close()
  }
}
await browser.close()
demo.stop()
