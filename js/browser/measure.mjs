// What the page reaches in this machine's Chromium: the best of several runs.
import { readFileSync } from 'node:fs'

import { openPage, section, startBrowser, startDemo, verdict } from './parties.mjs'

const demo = await startDemo()
const browser = await startBrowser()
const page = await openPage(browser, demo.url)
const message = section(page, 'Prove a message')
const click = () => message.getByRole('button', { name: 'Prove that I know it' }).click()

/** Milliseconds from the click to the verdict on the screen, in the page's own clock. */
async function clickToVerdict() {
  await message.getByText('open and set up').waitFor()
  await page.evaluate(() => {
    const verdict = document.querySelector('[data-run="message"] .verdict')
    document.getElementById('message-prove').addEventListener('click', () => (window.clicked = performance.now()), { once: true })
    window.seen = new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (!verdict.textContent.startsWith('Accepted')) return
        observer.disconnect()
        resolve(performance.now() - window.clicked)
      })
      observer.observe(verdict, { childList: true, characterData: true, subtree: true })
    })
  })
  await click()
  return page.evaluate(() => window.seen)
}

const times = []
for (let run = 0; run < 10; run++) times.push(await clickToVerdict())
times.sort((a, b) => a - b)
console.log(`SHA-256 preimage, click to verdict, module compiled and connection open: least ${times[0].toFixed(0)} ms, median ${times[5].toFixed(0)} ms`)

// 5.3 million AND gates.
await message.getByLabel('How much to prove').selectOption('16384')
const speeds = []
for (let run = 0; run < 3; run++) {
  await message.getByText('open and set up').waitFor()
  await click()
  await verdict(message, 'Accepted by the verifier')
  speeds.push(await message.locator('[data-figure="speed"]').innerText())
}
console.log(`16 kB: AND gates ${speeds.join(', ')}`)

await message.getByLabel('How much to prove').selectOption('65536')
await message.getByText('open and set up').waitFor()
await click()
await message.locator('progress:not([value="0"])').waitFor()
await page.waitForTimeout(1500)
// The page's process: the engine, both workers and their memories. A prover that computes answers no question about its memory.
const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo')
const resident = ({ id }) => Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'latin1'))?.[1] ?? 0)
const most = Math.max(...processInfo.filter(({ type }) => type === 'renderer').map(resident))
console.log(`resident memory of the page's process during a proof: ${(most / 1024).toFixed(0)} MiB`)
await browser.close()
demo.stop()
