// A circuit of circom's proved by snarkjs' Groth16 and by Volery's page in one browser, in turns: the least and the median of RUNS each.
//
//   node compare.mjs FOLDER KEY SNARKJS
//
// FOLDER has circuit.r1cs, witness.wtns and public.json as `circom/prepare` leaves them; KEY is snarkjs' key of that circuit, and SNARKJS
// its file for browsers (build/snarkjs.min.js). snarkjs: from the call to the proof, key and witness in memory. The page: from the
// click to the verdict on the screen, the session and the verifier's run included.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'

import { openPage, section, startBrowser, startDemo, verdict } from './parties.mjs'

const [folder, key, snarkjs] = process.argv.slice(2)
const runs = Number(process.env.RUNS ?? 5)
const files = new Map([
  ['/', ['text/html', '<!doctype html><title>snarkjs</title><script src="/snarkjs.js"></script>']],
  ['/snarkjs.js', ['text/javascript', await readFile(snarkjs)]],
  ['/key', ['application/octet-stream', await readFile(key)]],
  ['/witness', ['application/octet-stream', await readFile(join(folder, 'witness.wtns'))]],
])
// Isolated, as Volery's page is, so that neither has clocks or memory that the other lacks.
const isolated = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }
const server = createServer((request, response) => {
  const [type, body] = files.get(request.url) ?? []
  response.writeHead(type ? 200 : 404, { 'Content-Type': type ?? 'text/plain', ...isolated })
  response.end(body)
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))

const demo = await startDemo()
const browser = await startBrowser()
const theirs = await openPage(browser, `http://localhost:${server.address().port}/`)
await theirs.evaluate(async () => {
  const bytes = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer())
  window.inputs = await Promise.all(['/key', '/witness'].map(bytes))
})
const ours = await openPage(browser, demo.url)
const circuit = section(ours, 'Prove a circuit of your own')
await ours.locator('#circuit-files').setInputFiles([join(folder, 'circuit.r1cs'), join(folder, 'witness.wtns')])
await circuit.getByText('circuit.r1cs (circom').waitFor()
await circuit.getByText('witness.wtns (circom').waitFor()

const times = { snarkjs: [], volery: [] }
for (let run = 0; run < runs; run++) {
  await theirs.bringToFront()
  times.snarkjs.push(
    await theirs.evaluate(async () => {
      const start = performance.now()
      await window.snarkjs.groth16.prove(...window.inputs)
      return performance.now() - start
    }),
  )
  await ours.bringToFront()
  const start = performance.now()
  await circuit.getByRole('button', { name: 'Prove it' }).click()
  await verdict(circuit, 'Accepted by the verifier')
  times.volery.push(performance.now() - start)
}
for (const [name, all] of Object.entries(times)) {
  all.sort((a, b) => a - b)
  console.log(`${name}: least ${all[0].toFixed(0)} ms, median ${all[runs >> 1].toFixed(0)} ms of ${runs}`)
}
await browser.close()
demo.stop()
server.close()
