// What a website said, proved by a worker of this process to a native notary that carries the connection.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

import * as volery from '../index.js'
import { files, startPeer, startProxy } from './peer.mjs'

/** A notary and a website, and what `web.prove` needs of them. */
async function startNotary(t, bytes = 400) {
  const { roots } = await files(t, { roots: '' })
  const peer = await startPeer(t, 'notary', roots, String(bytes))
  const told = (word) => peer.lines.find((line) => line.startsWith(`${word} `)).slice(word.length + 1)
  const wanted = { notary: peer.url, notaryKey: told('key'), url: told('website'), roots: await readFile(roots), expect: bytes }
  return { peer, wanted, key: told('key') }
}

const SECRET = { headers: { Cookie: 'session=secret-1234' } }

/** How a promise was rejected. */
async function failure(promise) {
  try {
    await promise
  } catch (error) {
    return error
  }
  assert.fail('it should have failed')
}

test('a page is attested with a field in a range, and read', async (t) => {
  const { peer, wanted, key } = await startNotary(t)
  const phases = []
  const page = { ...wanted, ...SECRET, reveal: ['response.json:currency'], assert: ['response.json:balance in 5000..'], context: 'nonce-42' }
  const proved = await volery.web.prove(page, { onProgress: ({ phase }) => phases.push(phase) })
  await peer.line(/^attested: localhost$/)
  assert.ok(phases.includes('preparing the connection') && phases.at(-1) === 'waiting for the attestation', String(phases))
  assert.ok(Buffer.from(proved.response).includes('"balance": 5120'))
  assert.ok(!Buffer.from(proved.attestation).includes('5120') && !Buffer.from(proved.attestation).includes('secret'))

  const told = await volery.attestation.verify(proved.attestation, { key, context: 'nonce-42' })
  assert.ok(told.trusted && told.attestation.server.includes('localhost'), JSON.stringify(told))
  assert.ok(JSON.stringify(told).includes('EUR') && JSON.stringify(told).includes('balance'), JSON.stringify(told))
  // Nobody is believed whose key was not asked for.
  assert.equal((await volery.attestation.verify(proved.attestation)).trusted, false)
  const other = await failure(volery.attestation.verify(proved.attestation, { key: '00'.repeat(32) }))
  assert.ok(other instanceof volery.RejectedError, String(other))
  const elsewhere = await failure(volery.attestation.verify(proved.attestation, { key, context: 'nonce-43' }))
  assert.match(elsewhere.message, /not for the context/)
  const bent = Uint8Array.from(proved.attestation)
  bent[bent.indexOf('E'.charCodeAt(0), 100)] ^= 1
  assert.ok((await failure(volery.attestation.verify(bent, { key }))) instanceof volery.VoleryError)
})

test('committed parts are opened later, and a number is proved to lie in a range', async (t) => {
  const { wanted, key } = await startNotary(t)
  const page = { ...wanted, ...SECRET, commit: ['response.json:balance', 'response.json:points'] }
  const { attestation, openings } = await volery.web.prove(page)
  const opened = await volery.attestation.open(attestation, openings, ['response.json:balance'])
  const range = await volery.attestation.proveRange(attestation, openings, 'response.json:points in 7000..8000')
  const told = await volery.attestation.verify(attestation, { key, openings: [opened], ranges: [range] })
  assert.deepEqual(told.opened.map(({ bytes }) => Buffer.from(bytes, 'hex').toString()), ['5120'])
  assert.deepEqual(told.inRange.map(({ least, greatest }) => [least, greatest]), [['7000', '8000']])
  const beyond = await failure(volery.attestation.proveRange(attestation, openings, 'response.json:points in 8000..'))
  assert.ok(beyond instanceof volery.WitnessError, String(beyond))
  const none = await failure(volery.attestation.open(attestation, openings, ['response.json:name']))
  assert.ok(none instanceof volery.ClaimError, String(none))
})

test('either version of TLS is spoken, and a token shown', async (t) => {
  const { peer, wanted } = await startNotary(t)
  for (const tls of ['1.2', '1.3']) {
    const { attestation } = await volery.web.prove({ ...wanted, tls, token: 'a token of the tests' })
    assert.equal((await volery.attestation.verify(attestation)).attestation.tls, tls)
  }
  const stranger = await failure(volery.web.prove({ ...wanted, token: 'another' }))
  assert.match(stranger.message, /for the tests of provers in pages/)
  await peer.line(/another token/)
})

test('what is not true, not there or not allowed is refused', async (t) => {
  const { wanted } = await startNotary(t)
  const lie = await failure(volery.web.prove({ ...wanted, assert: ['response.json:balance in 6000..'] }))
  assert.ok(lie instanceof volery.WitnessError, String(lie))
  const missing = await failure(volery.web.prove({ ...wanted, hide: ['response.json:street'] }))
  assert.ok(missing instanceof volery.ClaimError, String(missing))
  for (const wrong of [{ url: 'http://localhost/' }, { hide: ['response.xml:a'] }, { tls: '1.1' }, { notaryKey: 'abcd' }, { hid: [] }]) {
    const error = await failure(volery.web.prove({ ...wanted, ...wrong }))
    assert.ok(error instanceof volery.ClaimError, `${JSON.stringify(wrong)}: ${error}`)
  }
  const port = await failure(volery.web.prove({ ...wanted, url: 'https://localhost:1/' }))
  assert.match(port.message, /does not connect to this port/)
  const untrusted = await failure(volery.web.prove({ ...wanted, roots: undefined }))
  assert.match(untrusted.message, /cannot be trusted/)
})

test('an attestation by another key than the one that was named is not taken', async (t) => {
  const { wanted } = await startNotary(t)
  const error = await failure(volery.web.prove({ ...wanted, notaryKey: '11'.repeat(32) }))
  assert.match(error.message, /key/)
})

test('a proof is cancelled at once, and a lost notary is told', async (t) => {
  const { peer, wanted } = await startNotary(t)
  const controller = new AbortController()
  const cancelled = failure(
    volery.web.prove(wanted, { signal: controller.signal, onProgress: () => controller.abort(new Error('enough')) }),
  )
  assert.equal((await cancelled).message, 'enough')
  await peer.line(/^ended: /)
  let passed = 0
  const notary = await startProxy(t, peer, (bytes, toPeer, { client, upstream }) => {
    passed += bytes.length
    if (passed < 1_000_000) return bytes
    client.destroy()
    upstream.destroy()
    return null
  })
  const lost = await failure(volery.web.prove({ ...wanted, notary }))
  assert.ok(lost instanceof volery.SessionError, String(lost))
})
