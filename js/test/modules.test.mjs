// The modules themselves: their sizes as they go over a network, and which of them are taken.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'

import { hasSimd, moduleName } from '../modules.js'

const module = (name) => readFile(new URL(`../dist/volery-${name}_bg.wasm`, import.meta.url))

test('each module takes at most 1.5 MB over the network', async (t) => {
  const measure = async (name) => {
    const bytes = await module(name)
    let compressed
    // The best one takes twice as long, and is needed near the limit only.
    for (const quality of [10, 11]) {
      const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 24 }
      compressed = (await promisify(brotliCompress)(bytes, { params })).length
      t.diagnostic(`${name}: ${bytes.length} bytes, ${compressed} with brotli of quality ${quality}`)
      if (compressed <= 1_500_000) break
    }
    assert.ok(compressed <= 1_500_000, `${name}: ${compressed} bytes`)
  }
  await Promise.all(['simd', 'plain', 'web-simd', 'web-plain'].map(measure))
})

test('the loader takes the module with simd128 where the engine has it', () => {
  assert.equal(moduleName(), hasSimd() ? 'volery-simd' : 'volery-plain')
  assert.equal(moduleName({ web: true }), hasSimd() ? 'volery-web-simd' : 'volery-web-plain')
})
