// Attestations that anybody can make: of a true one with other words in it, signed anew.
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'

/** PKCS #8 of an Ed25519 key, before its 32 bytes. */
const HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')
const KEY = createPrivateKey({ key: Buffer.concat([HEAD, Buffer.alloc(32, 7)]), format: 'der', type: 'pkcs8' })
const RAW = Buffer.from(createPublicKey(KEY).export({ format: 'jwk' }).x, 'base64url')

/** The key that signs them, in hexadecimal digits. */
export const forger = RAW.toString('hex')

/** `attestation` with each pair of texts of the same length exchanged, by the forger. */
export function forge(attestation, ...pairs) {
  // Its end: the key, no address of a second signature, the signature.
  let body = Buffer.from(attestation).subarray(0, -(32 + 4 + 64))
  for (const [from, to] of pairs.map((pair) => pair.map((text) => Buffer.from(text)))) {
    const at = body.indexOf(from)
    if (at < 0 || from.length !== to.length) throw new Error(`${from} cannot become ${to}`)
    body = Buffer.concat([body.subarray(0, at), to, body.subarray(at + from.length)])
  }
  const signed = Buffer.concat([body, RAW, Buffer.alloc(4)])
  return Buffer.concat([signed, sign(null, signed, KEY)])
}
