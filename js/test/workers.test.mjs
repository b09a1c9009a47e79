// Workers take memory and hold sockets: whatever goes wrong, each that was started ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as volery from '../index.js'
import { peerPreimage, preimage, startPeer, startProxy } from './peer.mjs'

/** The workers of this process that run, and how many were started. */
const running = new Set()
let started = 0
process.on('worker', (worker) => {
  started++
  running.add(worker)
  worker.on('exit', () => running.delete(worker))
})

/** Runs `work`, and waits until no worker is left. Returns how many it started. */
async function leavesNone(work, what) {
  const before = started
  await work()
  // One that nothing has failed in waits some seconds for the next session.
  const end = Date.now() + 20_000
  while (running.size > 0) {
    assert.ok(Date.now() < end, `${what}: ${running.size} workers never end`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return started - before
}

const NOWHERE = { notary: 'ws://127.0.0.1:9/', notaryKey: '00'.repeat(32), url: 'https://localhost/' }

test('no worker is left when a module cannot be loaded', async (t) => {
  // Of the slower modules, which nothing else here takes.
  const { compile } = WebAssembly
  t.after(() => {
    WebAssembly.compile = compile
    return volery.preload({ simd: true })
  })
  const calls = {
    check: () => volery.check(preimage(), '0x616263'),
    open: () => volery.open('ws://127.0.0.1:9/', preimage()),
    'web.prove': () => volery.web.prove(NOWHERE),
    'attestation.show': () => volery.attestation.show(''),
  }
  WebAssembly.compile = async () => {
    throw new Error('there is none')
  }
  await volery.preload({ simd: false }).catch(() => {})
  for (const [what, call] of Object.entries(calls)) {
    await leavesNone(() => assert.rejects(call(), volery.UnsupportedError), what)
  }
  // It compiles, and is not what the worker expects.
  WebAssembly.compile = () => compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))
  for (const [what, call] of Object.entries(calls)) {
    const count = await leavesNone(() => assert.rejects(call(), volery.SessionError), what)
    assert.ok(count >= 1, what)
  }
})

test('no worker is left when a wish makes no sense, or nobody is there', async () => {
  for (const [wrong, kind] of [
    [{ hide: ['request.header:Cookie'] }, volery.ClaimError],
    [{ assert: ['request.path = x'] }, volery.WitnessError],
    [{}, volery.SessionError],
  ]) {
    const count = await leavesNone(() => assert.rejects(volery.web.prove({ ...NOWHERE, ...wrong }), kind), JSON.stringify(wrong))
    assert.equal(count, 2)
  }
  assert.equal(await leavesNone(() => assert.rejects(volery.open('ws://127.0.0.1:9/', preimage()), volery.SessionError), 'open'), 2)
  assert.equal(await leavesNone(() => assert.rejects(volery.check({ statement: 'none' }, '0x'), volery.ClaimError), 'check'), 1)
  assert.equal(await leavesNone(() => volery.check(preimage(), '0x616263'), 'a check that succeeds'), 1)
})

test('no worker is left by a call that is given up, whenever that is', async (t) => {
  const peer = await startPeer(t, 'verify', ...peerPreimage())
  const silent = await startProxy(t, peer, () => undefined)
  const calls = {
    open: (signal) => volery.open(silent, preimage(), { signal }),
    'web.prove': (signal) => volery.web.prove({ ...NOWHERE, notary: silent }, { signal }),
    check: (signal) => volery.check(preimage(), '0x616263', { signal }),
    makeProof: (signal) => volery.makeProof(preimage(), '0x616263', { signal }),
  }
  let some = 0
  for (const [what, call] of Object.entries(calls)) {
    for (const after of [0, 1, 3, 10, 30, 100]) {
      const controller = new AbortController()
      setTimeout(() => controller.abort(new Error('enough')), after)
      const given = () => call(controller.signal).then(() => {}, (error) => assert.equal(error.message, 'enough'))
      some += await leavesNone(given, `${what}, given up after ${after} ms`)
    }
  }
  assert.ok(some > 0)
})

test('no worker is left by a session that is closed in the middle of a proof', async (t) => {
  const length = 1 << 14
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(length).fill(0x61))).toString('hex')
  const peer = await startPeer(t, 'verify', ...peerPreimage(length, digest))
  const count = await leavesNone(async () => {
    const session = await volery.open(peer.url, preimage(length, digest))
    let began
    const begun = new Promise((resolve) => (began = resolve))
    const proof = session.prove(`0x${'61'.repeat(length)}`, { onProgress: began })
    const ended = assert.rejects(proof, volery.SessionError)
    await begun
    session.close()
    await ended
  }, 'close')
  assert.equal(count, 2)
  await peer.line(/^ended: /)
})

test("a session takes the worker of one that has ended well, and of no other", async (t) => {
  const peer = await startPeer(t, 'verify', ...peerPreimage())
  const session = async (witness = '0x616263') => {
    const before = started
    const session = await volery.open(peer.url, preimage())
    const proof = session.prove(witness).catch((error) => error)
    const failed = (await proof) instanceof volery.WitnessError
    session.close()
    return [started - before, failed]
  }
  await leavesNone(async () => {
    assert.deepEqual(await session(), [2, false])
    // The socket's alone.
    assert.deepEqual(await session(), [1, false])
    const before = started
    await volery.check(preimage(), '0x616263')
    assert.equal(started, before)
    assert.deepEqual(await session('0x616264'), [1, true])
    assert.deepEqual(await session(), [2, false])
    // Two at once are two workers, of which one waits for the next.
    const both = await Promise.all([volery.check(preimage(), '0x616263'), volery.check(preimage(), '0x616263')])
    assert.equal(both.length, 2)
    assert.deepEqual(await session(), [1, false])
  }, 'sessions')
})
