// Proofs over a WebSocket between a worker of this process and a native party.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

import * as volery from '../index.js'
import { DIGEST, PEER, files, peerPreimage, preimage, startPeer } from './peer.mjs'

/** Of the repository's README. */
const MAJORITY = '4 7\n3 1 1 1\n1 1\n\n2 1 0 2 3 XOR\n2 1 1 2 4 XOR\n2 1 3 4 5 AND\n2 1 5 2 6 XOR\n'

test('a preimage is proved, with progress, and twice in a session', async (t) => {
  const peer = await startPeer(t, 'verify', ...peerPreimage())
  const seen = []
  const session = await volery.open(peer.url, preimage())
  const report = await session.prove('message = 0x616263', { onProgress: (progress) => seen.push(progress) })
  assert.ok(report.soundness > 100 && report.multiplications > 20_000, JSON.stringify(report))
  assert.ok(report.bytesSent > 0 && report.bytesReceived > 0 && report.seconds > 0)
  assert.equal(seen.at(-1).done, seen.at(-1).total)
  assert.equal(seen.at(-1).total, session.total)
  await peer.line(/^accepted: proof 1$/)
  await session.prove(new TextEncoder().encode('0x616263'))
  await peer.line(/^accepted: proof 2$/)
  session.close()
  await peer.line(/^left after 2 proofs$/)
})

test('a native prover is verified', async (t) => {
  const { witness } = await files(t, { witness: '0x616263\n' })
  const peer = await startPeer(t, 'prove', witness, ...peerPreimage())
  const report = await volery.verify(peer.url, preimage())
  assert.ok(report.soundness > 100)
  await peer.line(/^accepted: proof 1$/)
})

test('a Bristol circuit is proved, and one of several', async (t) => {
  const and = MAJORITY.replace('2 1 5 2 6 XOR', '2 1 3 5 6 AND')
  const paths = await files(t, { majority: MAJORITY, and, public: 'output 0 = 0b1\n' })
  const claim = { circuit: MAJORITY, public: 'output 0 = 0b1' }
  const peer = await startPeer(t, 'verify', '--circuit', paths.majority, '--public', paths.public)
  await volery.prove(peer.url, claim, '0b1\n0b0\n0b1\n')
  await peer.line(/^accepted: proof 1$/)

  const several = await startPeer(t, 'verify', '--any-of', paths.and, paths.majority, '--public', paths.public)
  const anyOf = { anyOf: [{ circuit: and }, { circuit: MAJORITY }], public: 'output 0 = 0b1' }
  await volery.prove(several.url, anyOf, { branch: 1, witness: '0b1\n0b0\n0b1\n' })
  await several.line(/^accepted: proof 1$/)
})

test("circom's constraint systems are proved, over F61 and over the scalars of BN254", async (t) => {
  const corpus = (path) => readFile(new URL(`../../fuzz/corpus/${path}`, import.meta.url))
  for (const name of ['f61-4', 'bn254-2']) {
    const [r1cs, wtns] = [await corpus(`r1cs/${name}`), await corpus(`wtns/${name}`)]
    const values = publicValues(r1cs, wtns)
    assert.ok(values.length > 0)
    const paths = await files(t, { r1cs, public: JSON.stringify(values) })
    const peer = await startPeer(t, 'verify', '--circuit', paths.r1cs, '--public', paths.public)
    await volery.prove(peer.url, { r1cs }, wtns)
    await peer.line(/^accepted: proof 1$/)
    // With the public values, which must be those of the witness and those of the verifier.
    const report = await volery.prove(peer.url, { r1cs, public: values.map(BigInt) }, wtns)
    assert.ok(report.soundness >= 40)
    const other = values.map((value, i) => BigInt(value) + (i === 0 ? 1n : 0n))
    await assert.rejects(volery.prove(peer.url, { r1cs, public: other }, wtns), volery.VoleryError)
  }
})

/** The public values in a witness of circom, as snarkjs's public.json has them. */
function publicValues(r1cs, wtns) {
  const section = (bytes, wanted) => {
    for (let at = 12; ; ) {
      const [kind, length] = [bytes.readUInt32LE(at), Number(bytes.readBigUInt64LE(at + 4))]
      if (kind === wanted) return bytes.subarray(at + 12, at + 12 + length)
      at += 12 + length
    }
  }
  const header = section(r1cs, 1)
  const size = header.readUInt32LE(0)
  const count = header.readUInt32LE(4 + size + 4) + header.readUInt32LE(4 + size + 8)
  const values = section(wtns, 2)
  const number = (bytes) => bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n)
  return Array.from({ length: count }, (_, i) => String(number(values.subarray((i + 1) * size, (i + 2) * size))))
}

test('numbers over F61 are proved', async (t) => {
  const paths = await files(t, { public: '32\n' })
  const claim = { statement: 'inner-product', values: { length: 3 }, public: '32' }
  const peer = await startPeer(t, 'verify', '--statement', 'inner-product', 'length=3', '--public', paths.public)
  await volery.prove(peer.url, claim, '1 2 3\n4 5 6\n')
  await peer.line(/^accepted: proof 1$/)
})

test('public proofs made here are verified there, and changed ones are not', async (t) => {
  const proof = await volery.makeProof(preimage(), '0x616263')
  const report = await volery.verifyProof(preimage(), proof)
  assert.deepEqual([report.protocol, report.soundness], ['voleith', 128])
  const paths = await files(t, { proof })
  assert.match(String(spawnSync(PEER, ['verify-proof', paths.proof, ...peerPreimage()]).stdout), /^accepted: /)

  const changed = proof.slice()
  changed[changed.length >> 1] ^= 1
  await assert.rejects(volery.verifyProof(preimage(), changed), volery.RejectedError)
  const other = preimage(3, DIGEST.replace('ba', 'bb'))
  await assert.rejects(volery.verifyProof(other, proof), volery.MismatchError)
  await assert.rejects(volery.verifyProof(preimage(), proof.slice(0, 100)), volery.VoleryError)
  await assert.rejects(volery.makeProof(preimage(), '0x616264'), volery.WitnessError)
})
