// As much of circom's files as says which values are public.

/** The sections of a file of circom, by kind. */
function sections(bytes, magic) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = new Map()
  const wrong = () => new Error(`the .${magic} file is cut off, or no such file`)
  if (bytes.length < 12) throw wrong()
  for (let at = 12; at < bytes.length; ) {
    if (at + 12 > bytes.length) throw wrong()
    const [kind, length] = [view.getUint32(at, true), Number(view.getBigUint64(at + 4, true))]
    if (at + 12 + length > bytes.length) throw wrong()
    if (!found.has(kind)) found.set(kind, new DataView(bytes.buffer, bytes.byteOffset + at + 12, length))
    at += 12 + length
  }
  return (kind) => {
    const section = found.get(kind)
    if (!section) throw wrong()
    return section
  }
}

export const isR1cs = (bytes) => new TextDecoder('latin1').decode(bytes.subarray(0, 4)) === 'r1cs'
export const isWtns = (bytes) => new TextDecoder('latin1').decode(bytes.subarray(0, 4)) === 'wtns'

/** The public values in a witness: outputs first, as in snarkjs's public.json. */
export function publicValues(r1cs, wtns) {
  const header = sections(r1cs, 'r1cs')(1)
  const size = header.getUint32(0, true)
  if (size < 8 || size > 64 || header.byteLength < 4 + size + 12) throw new Error('the .r1cs file has an impossible header')
  const count = header.getUint32(4 + size + 4, true) + header.getUint32(4 + size + 8, true)
  const witness = sections(wtns, 'wtns')
  const values = witness(2)
  if (witness(1).getUint32(0, true) !== size || (count + 1) * size > values.byteLength) {
    throw new Error('the .wtns file is not one of this .r1cs file')
  }
  // The first value is the constant 1.
  return Array.from({ length: count }, (_, index) => {
    let value = 0n
    for (let byte = size - 1; byte >= 0; byte--) value = value * 256n + BigInt(values.getUint8((index + 1) * size + byte))
    return String(value)
  })
}
