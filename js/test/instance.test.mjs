// What a module must have so that an engine can suspend it.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { instantiate } from '../instance.js'

test('a module without one import that waits is refused', () => {
  for (const names of [[], ['__wbg_await_0123456789abcdef'], ['__wbg_wait_0123456789abcdef', '__wbg_wait_fedcba9876543210']]) {
    const getImports = () => ({ module: Object.fromEntries(names.map((name) => [name, () => {}])) })
    assert.throws(() => instantiate({ getImports }, undefined, true), /imports that wait, and not one/, names.join())
  }
})

test('the glue of all modules has what suspending them takes', async () => {
  const waiting = { 'volery-simd': 'Party', 'volery-plain': 'Party', 'volery-web-simd': 'WebProof', 'volery-web-plain': 'WebProof' }
  for (const [name, kind] of Object.entries(waiting)) {
    const { getImports, finishInit, [kind]: Waiting } = await import(`../dist/${name}.js`)
    assert.equal(typeof finishInit, 'function')
    const found = Object.values(getImports()).flatMap(Object.keys).filter((name) => /^__wbg_wait_[0-9a-f]+$/.test(name))
    assert.equal(found.length, 1, name)
    // Glue that reads a result, or lays arguments into memory and frees them, cannot do so before the call is done.
    for (const call of ['setUp', 'prove', 'verify']) {
      const text = Waiting.prototype[call]?.toString()
      if (text) assert.match(text, /^\w+\([\w, ]*\) \{\n\s*wasm\.\w+\([^;]*\);\n\s*\}$/, `${name}: ${call}`)
    }
  }
})
