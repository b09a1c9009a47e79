// The package as npm packs and installs it: the README's example as it is written, and the types.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { peerPreimage, startPeer } from '../peer.mjs'

const folder = process.env.VOLERY_PACKAGE
if (!folder) throw new Error('VOLERY_PACKAGE must name the folder where the package is installed; js/run sets it')

/** The blocks of this language. */
async function blocks(language) {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code)
}

test('the example of ten lines proves what it says', async (t) => {
  const [example] = await blocks('js')
  assert.ok(example.trim().split('\n').length <= 10)
  const peer = await startPeer(t, 'verify', ...peerPreimage())
  await writeFile(join(folder, 'example.mjs'), example.replace('ws://127.0.0.1:7000', peer.url))
  const ran = spawnSync(process.execPath, ['example.mjs'], { cwd: folder, encoding: 'utf8', timeout: 60_000 })
  assert.match(ran.stdout, /^accepted, with 1\d\d bits of soundness\n$/, ran.stderr)
  await peer.line(/^accepted: proof 1$/)
})

test('the examples have the types of the package', async () => {
  const [first, second, third] = await blocks('js')
  const around = `
    import { open } from 'volery'
    declare const [url, claim, witness, signal]: [string, { statement: string }, string, AbortSignal]
    declare function show(part: number): void
    ${second.replace('done / total', 'done / (total ?? 1)')}`
  const website = `
    import { attestation, web } from 'volery'
    declare const [notaryKey, signal]: [string, AbortSignal]
    declare function show(phase: string): void
    ${third}
    const told = await attestation.verify(signed, { key: notaryKey })
    if (told.trusted && openings) show(told.summary.join())
    await attestation.proveRange(signed, openings!, 'response.json:points in 7000..')`
  await writeFile(join(folder, 'first.mts'), first)
  await writeFile(join(folder, 'third.mts'), website)
  await writeFile(join(folder, 'second.mts'), around)
  const tsc = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))
  const flags = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom']
  const ran = spawnSync(tsc, [...flags, 'first.mts', 'second.mts', 'third.mts'], { cwd: folder, encoding: 'utf8' })
  assert.equal(ran.stdout, '')
  assert.equal(ran.status, 0)
})

test('the package has what it needs and nothing else', async () => {
  const installed = join(folder, 'node_modules', 'volery')
  const { files } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  for (const file of files.filter((file) => !file.includes('*'))) assert.ok((await readFile(join(installed, file))).length > 0)
  await assert.rejects(readFile(join(installed, 'Cargo.toml')))
})

test('the package has its licences, and those of the crates in its modules', async () => {
  const installed = join(folder, 'node_modules', 'volery')
  for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) {
    assert.equal(await readFile(join(installed, name), 'utf8'), await readFile(new URL(`../../../${name}`, import.meta.url), 'utf8'))
  }
  const notices = await readFile(join(installed, 'dist', 'NOTICES.txt'), 'utf8')
  // One of two clauses, one of MIT, one that only the module of web data has; and not what only builds the modules.
  assert.match(notices, /^curve25519-dalek \d[^]*Redistributions in binary form must reproduce/m)
  assert.match(notices, /^wasm-bindgen \d[^]*Permission is hereby granted/m)
  assert.match(notices, /^rustls \d/m)
  assert.doesNotMatch(notices, /^(syn|cc|volery|volery-\w+) \d/m)
})
