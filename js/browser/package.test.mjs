// The package as `npm pack` gives it, in a page of somebody else's server: the README's example as it is written, how soon a module is there,
// and the kernels of all modules against the portable code.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { peerPreimage, startPeer } from '../test/peer.mjs'
import { TIME, startBrowser } from './parties.mjs'
import { blank, packaged, serve } from './served.mjs'

/** The README's first block of this language. */
async function block(language) {
  return new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(await packaged('README.md'))[1]
}

let browser
before(async () => {
  browser = await startBrowser()
})
after(() => browser?.close())

test('the example of ten lines proves in a page what it says', async (t) => {
  const peer = await startPeer(t, 'verify', ...peerPreimage())
  const [html, example] = [await block('html'), await block('js')]
  const url = await serve(t, { '/': html, '/example.js': example.replace('ws://127.0.0.1:7000', peer.url), '/favicon.ico': '' })
  const context = await browser.newContext()
  t.after(() => context.close())
  const page = await context.newPage()
  const problems = []
  page.on('pageerror', (error) => problems.push(error.message))
  const said = page.waitForEvent('console', { timeout: TIME })
  await page.goto(url)
  assert.match((await said).text(), /^accepted, with 1\d\d bits of soundness$/, problems.join())
  await peer.line(/^accepted: proof 1$/)
})

/** Names of kernels of a module that give something else than the portable code, in this page. */
const kernelsThatDiffer = (page, name) =>
  page.evaluate(async (name) => {
    const glue = await import(`/volery/dist/${name}.js`)
    await glue.default({ module_or_path: `/volery/dist/${name}_bg.wasm` })
    return glue.kernelsThatDiffer()
  }, name)

test('the kernels of the modules give in a browser what the portable code gives', async (t) => {
  const page = await blank(t, browser)
  for (const name of ['volery-simd', 'volery-plain', 'volery-web-simd', 'volery-web-plain']) {
    assert.deepEqual(await kernelsThatDiffer(page, name), [], name)
  }
})

test('the kernels of the modules without SIMD do so in a browser without it', async (t) => {
  const plain = await startBrowser('--js-flags=--no-enable-sse4-1')
  t.after(() => plain.close())
  const page = await blank(t, plain)
  assert.equal(await page.evaluate(async () => (await import('/volery/index.js')).hasSimd()), false)
  for (const name of ['volery-plain', 'volery-web-plain']) assert.deepEqual(await kernelsThatDiffer(page, name), [], name)
})

test('a page learns which option is wrong', async (t) => {
  const page = await blank(t, browser)
  const failure = (options) =>
    page.evaluate(async (options) => {
      const { verifyProof } = await import('/volery/index.js')
      return verifyProof({ statement: 'sha256-preimage' }, new Uint8Array(1), options).catch(({ name, message }) => `${name}: ${message}`)
    }, options)
  assert.equal(await failure({ sigma: null }), 'ClaimError: `sigma` of verifyProof must be a whole number from 1 to 128')
})
