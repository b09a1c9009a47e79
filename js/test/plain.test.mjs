// The module without simd128: for engines that have none, and taken here by name.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as volery from '../index.js'
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
