// What goes wrong, and what a caller is told.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as volery from '../index.js'
import { peerPreimage, preimage, startPeer, startProxy } from './peer.mjs'

/** A long message with its claims: its proof takes a while. */
async function long(length = 1 << 14) {
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(length).fill(0x61))).toString('hex')
  return { claim: preimage(length, digest), peer: peerPreimage(length, digest), witness: '0x' + '61'.repeat(length) }
}

test('a wrong witness is refused before anything is sent, and the session goes on', async (t) => {
  const peer = await startPeer(t, 'verify', ...peerPreimage())
  await assert.rejects(volery.check(preimage(), '0x616264'), volery.WitnessError)
  await volery.check(preimage(), '0x616263')
  const session = await volery.open(peer.url, preimage())
  await assert.rejects(session.prove('0x616264'), volery.WitnessError)
  await assert.rejects(session.prove('0x6162'), volery.ClaimError)
  await session.prove('0x616263')
  session.close()
})

test('parties with other claims or settings are told so', async (t) => {
  const peer = await startPeer(t, 'verify', ...peerPreimage(4))
  await assert.rejects(volery.prove(peer.url, preimage(), '0x616263'), volery.MismatchError)
  await assert.rejects(volery.prove(peer.url, preimage(), '0x616263', { profile: 'wan' }), volery.MismatchError)
})

test('claims that make no sense are named', async () => {
  const refused = (claim, message) => assert.rejects(volery.check(claim, '0x00'), { name: 'ClaimError', message })
  await refused({ statement: 'sha257-preimage' }, /sha256-preimage/)
  await refused({ statment: 'sha256-preimage' }, /no property `statment`/)
  await refused({ statement: 'sha256-preimage', values: { length: 3 } }, /digest/)
  await refused({}, /one of `statement`, `circuit` and `anyOf`/)
  await refused({ circuit: 'no circuit' }, /the circuit/)
  await refused({ circuit: 7 }, /must be a string/)
  await refused({ anyOf: [{ circuit: '1' }], disjunction: 'macncheese' }, /coroutines/)
  await assert.rejects(volery.prove('http://localhost/', preimage(), '0x616263'), volery.ClaimError)
  await assert.rejects(volery.prove('ws://localhost/', preimage(), 7), volery.ClaimError)
})

test('an address where nobody listens is named', async () => {
  await assert.rejects(volery.prove('ws://127.0.0.1:9/', preimage(), '0x616263'), (error) => {
    assert.ok(error instanceof volery.SessionError && error.message.includes('ws://127.0.0.1:9/'), error.message)
    return true
  })
})

test('a peer that leaves ends the proof', async (t) => {
  const { claim, peer: peerClaim, witness } = await long()
  const peer = await startPeer(t, 'verify', ...peerClaim)
  const session = await volery.open(peer.url, claim)
  peer.child.kill('SIGKILL')
  await assert.rejects(session.prove(witness), volery.SessionError)
})

test('changed bytes are found at the other end', async (t) => {
  const peer = await startPeer(t, 'verify', ...peerPreimage())
  // The handshakes are left alone; what a prover sends after them is not.
  let sent = 0
  const url = await startProxy(t, peer, (bytes, toPeer) => {
    if (!toPeer) return bytes
    sent += bytes.length
    const changed = Buffer.from(bytes)
    if (sent > 30_000) changed[changed.length - 1] ^= 1
    return changed
  })
  await assert.rejects(volery.prove(url, preimage(), '0x616263'), volery.VoleryError)
  await peer.line(/^ended: /)
  assert.ok(!peer.lines.some((line) => line.startsWith('accepted')))
})

test('a connection that is cut ends the proof', async (t) => {
  const peer = await startPeer(t, 'verify', ...peerPreimage())
  let sent = 0
  const url = await startProxy(t, peer, (bytes, toPeer, { client }) => {
    if (toPeer) sent += bytes.length
    if (sent > 20_000) client.destroy()
    return bytes
  })
  await assert.rejects(volery.prove(url, preimage(), '0x616263'), volery.SessionError)
})

test('an abort ends a proof at once, whatever it does at the time', async (t) => {
  const { claim, peer: peerClaim, witness } = await long()
  const peer = await startPeer(t, 'verify', ...peerClaim)
  const controller = new AbortController()
  const session = await volery.open(peer.url, claim)
  let progress = 0
  const onProgress = () => ++progress === 3 && controller.abort(new Error('enough'))
  await assert.rejects(session.prove(witness, { signal: controller.signal, onProgress }), { message: 'enough' })
  await assert.rejects(session.prove(witness), volery.SessionError)
  await peer.line(/^ended: /)
  // Before anything began, and while nobody answers.
  const never = AbortSignal.abort(new Error('never'))
  await assert.rejects(volery.prove(peer.url, claim, witness, { signal: never }), { message: 'never' })
  const silent = await startProxy(t, peer, () => undefined)
  const soon = AbortSignal.timeout(100)
  await assert.rejects(volery.prove(silent, claim, witness, { signal: soon }), { name: 'TimeoutError' })
})

test('a page that is not isolated is told which headers it needs', async () => {
  const shared = globalThis.SharedArrayBuffer
  try {
    delete globalThis.SharedArrayBuffer
    await assert.rejects(volery.open('ws://127.0.0.1:9/', preimage()), (error) => {
      assert.ok(error instanceof volery.UnsupportedError)
      assert.match(error.message, /Cross-Origin-Opener-Policy: same-origin/)
      assert.match(error.message, /Cross-Origin-Embedder-Policy: require-corp/)
      return true
    })
  } finally {
    globalThis.SharedArrayBuffer = shared
  }
})
