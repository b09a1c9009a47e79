// Options of calls: a slip is named, and never taken for something weaker.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as volery from '../index.js'
import { optionsOf } from '../normal.js'
import { preimage } from './peer.mjs'

const NOWHERE = 'ws://127.0.0.1:9/'
const bytes = new Uint8Array(1)

/** Each call with options, and the names of those. */
const SESSION = ['profile', 'fiatShamir', 'rho', 'timeout']
const CALLS = {
  open: [(options) => volery.open(NOWHERE, preimage(), options), [...SESSION, 'role', 'signal']],
  prove: [(options) => volery.prove(NOWHERE, preimage(), '0x616263', options), [...SESSION, 'onProgress', 'signal']],
  verify: [(options) => volery.verify(NOWHERE, preimage(), options), [...SESSION, 'onProgress', 'signal']],
  check: [(options) => volery.check(preimage(), '0x616263', options), ['signal']],
  makeProof: [(options) => volery.makeProof(preimage(), '0x616263', options), ['sigma', 'signal']],
  verifyProof: [(options) => volery.verifyProof(preimage(), bytes, options), ['sigma', 'signal']],
  preload: [(options) => volery.preload(options), ['simd', 'web']],
  'web.prove': [(options) => volery.web.prove({}, options), ['onProgress', 'signal']],
  'attestation.show': [(options) => volery.attestation.show(bytes, options), ['signal']],
  'attestation.open': [(options) => volery.attestation.open(bytes, bytes, [], options), ['signal']],
  'attestation.proveRange': [(options) => volery.attestation.proveRange(bytes, bytes, 'x in 1..', options), ['signal']],
}

const FLAGS = [null, 0, 1, '', 'no', 'true', {}]
const BITS = [null, 0, -1, 129, 200, 65536, 65664, 0.5, 127.5, NaN, Infinity, '80', '', true, [80], { valueOf: () => 80 }, 80n]

/** Values that an option cannot have, and words that the error says. */
const WRONG = {
  profile: [[null, '', 'LAN', 'wlan', 0, ['lan']], /"lan" or "wan"/],
  role: [[null, '', 'Prover', 'notary', true], /"prover" or "verifier"/],
  fiatShamir: [FLAGS, /true or false/],
  simd: [FLAGS, /true or false/],
  web: [FLAGS, /true or false/],
  rho: [BITS, /a whole number from 1 to 128/],
  sigma: [BITS, /a whole number from 1 to 128/],
  timeout: [[null, 0, -1, 0.0001, 31_536_001, NaN, Infinity, '5', true, [5]], /seconds from 0\.001 to 31536000/],
  onProgress: [[null, 0, 'log', {}], /a function/],
  signal: [[null, true, 'abort', {}, new AbortController()], /an AbortSignal/],
}

const refused = (call, option, ...patterns) =>
  assert.rejects(async () => call(), (error) => {
    assert.ok(error instanceof volery.ClaimError, `${option}: ${error?.name}: ${error?.message}`)
    for (const pattern of patterns) assert.match(error.message, pattern, option)
    return true
  })

for (const [name, [call, options]] of Object.entries(CALLS)) {
  test(`${name} takes no option that it has not, and no value that an option cannot have`, async () => {
    for (const option of options) {
      const [values, words] = WRONG[option]
      for (const value of values) {
        await refused(() => call({ [option]: value }), `${name} ${option} ${String(value)}`, new RegExp(`\`${option}\` of ${name}`), words)
      }
      const misspelt = option.toUpperCase()
      await refused(() => call({ [misspelt]: true }), misspelt, new RegExp(`${name} has no option \`${misspelt}\`; it has .*${option}`))
    }
    for (const value of [null, 7, 'lan', true]) await refused(() => call(value), `${name} ${value}`, /takes an object/)
  })
}

test("a session's proofs take no option that they have not", async () => {
  // They are checked before the session is asked.
  const signal = AbortSignal.abort(new Error('given up'))
  await assert.rejects(volery.open(NOWHERE, preimage(), { signal }), /given up/)
  for (const options of [{ signal: null }, { onProgress: 7 }, { fiatShamir: true }, { rho: 80 }, null]) {
    assert.throws(() => optionsOf(options, ['onProgress', 'signal'], 'prove'), volery.ClaimError)
  }
  await refused(() => volery.attestation.verify(bytes, { key: bytes, signal: null }), 'signal', /an AbortSignal/)
})

test('options that may be are taken as they are, and those that are undefined are left out', () => {
  const { signal } = new AbortController()
  const options = { profile: 'wan', fiatShamir: false, rho: 1, sigma: 128, timeout: 0.5, role: 'verifier', signal, onProgress() {} }
  assert.deepEqual(optionsOf({ ...options, simd: undefined }, Object.keys({ ...options, simd: 0 }), 'all'), options)
  assert.deepEqual(optionsOf({ rho: 128, sigma: 1, timeout: 31_536_000 }, ['rho', 'sigma', 'timeout'], 'all'), {
    rho: 128,
    sigma: 1,
    timeout: 31_536_000,
  })
  // A class that holds its options behind getters is read like any other.
  assert.deepEqual(optionsOf(Object.create({ rho: 80 }), ['rho'], 'all'), { rho: 80 })
})

test('a proof of 80 bits passes only for a verifier who asks for 80', async () => {
  const proof = await volery.makeProof(preimage(), '0x616263', { sigma: 80 })
  assert.equal((await volery.verifyProof(preimage(), proof, { sigma: 80 })).soundness, 80)
  for (const options of [undefined, {}, { sigma: undefined }, { sigma: 128 }, { sigma: 81 }]) {
    await assert.rejects(volery.verifyProof(preimage(), proof, options), volery.MismatchError)
  }
})

test('a branch has no property that is not there', async () => {
  const refusedBranch = (anyOf, pattern) => refused(() => volery.check({ anyOf }, '0x00'), 'anyOf', pattern)
  await refusedBranch([{ circuit: '1', pulbic: '' }], /a branch of `anyOf` has no option `pulbic`; it has circuit, r1cs, public/)
  await refusedBranch([null], /takes an object/)
  await refusedBranch('circuit', /must be a list/)
})
