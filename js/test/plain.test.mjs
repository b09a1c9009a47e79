// The modules without simd128: for engines that have none, and taken here by name.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as volery from '../index.js'
import { startNotary } from './notary.mjs'
import { peerPreimage, preimage, startPeer } from './peer.mjs'

test('the module without simd128 proves, verifies and refuses as the other one does', async (t) => {
  await volery.preload({ simd: false })
  const peer = await startPeer(t, 'verify', ...peerPreimage())
  await volery.prove(peer.url, preimage(), '0x616263')
  await peer.line(/^accepted: proof 1$/)
  await assert.rejects(volery.check(preimage(), '0x616264'), volery.WitnessError)

  // A proof by one module is one for the other.
  const proof = await volery.makeProof(preimage(), '0x616263')
  await volery.preload({ simd: volery.hasSimd() })
  await volery.verifyProof(preimage(), proof)
})

test('the module of web data without simd128 proves a page, and the other one believes it', async (t) => {
  const { wanted, key } = await startNotary(t)
  await volery.preload({ simd: false, web: true })
  const page = { ...wanted, reveal: ['response.json:currency'], assert: ['response.json:balance in 5000..'] }
  const { attestation } = await volery.web.prove(page)
  await volery.preload({ simd: volery.hasSimd(), web: true })
  assert.match((await volery.attestation.verify(attestation, { key })).summary[0], /balance is at least 5000/)
})
