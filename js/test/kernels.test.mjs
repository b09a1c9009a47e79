// The kernels of all modules against the portable code, in this engine.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

for (const name of ['simd', 'plain', 'web-simd', 'web-plain']) {
  test(`the kernels of the module ${name} give what the portable code gives`, async () => {
    const glue = await import(`../dist/volery-${name}.js`)
    glue.initSync({ module: await readFile(new URL(`../dist/volery-${name}_bg.wasm`, import.meta.url)) })
    assert.deepEqual(glue.kernelsThatDiffer(), [])
  })
}
