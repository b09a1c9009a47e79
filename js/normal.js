// One form for what callers may write in several: texts and lists become bytes, values become strings.
import { ClaimError } from './errors.js'

const encoder = new TextEncoder()

/** Bytes that a worker may own. A copy, since the caller keeps its own. */
export function bytesOf(value, what) {
  if (typeof value === 'string') return encoder.encode(value)
  if (value instanceof ArrayBuffer) return new Uint8Array(value.slice(0))
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice()
  throw new ClaimError(`${what} must be a string, a Uint8Array or an ArrayBuffer`)
}

/** Public values: also a list of numbers, as in snarkjs's public.json. */
function publicOf(value) {
  if (value === undefined || value === null) return undefined
  if (Array.isArray(value)) return encoder.encode(JSON.stringify(value.map(String)))
  return bytesOf(value, '`public`')
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** A public value of a built-in statement: bytes become digits. */
function valueOf(value, name) {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return hex(bytesOf(value, name))
  throw new ClaimError(`\`${name}\` must be a string, a number or bytes`)
}

/** Bytes that people write in hexadecimal digits. */
function keyOf(value, name) {
  if (typeof value !== 'string') return value === undefined ? undefined : bytesOf(value, name)
  if (!/^([0-9a-fA-F]{2})*$/.test(value)) throw new ClaimError(`\`${name}\` must be bytes, or hexadecimal digits`)
  return Uint8Array.from(value.match(/../g) ?? [], (digits) => parseInt(digits, 16))
}

/** Bytes of an option that may be left out. */
function maybeBytes(value, name) {
  return value === undefined || value === null ? undefined : bytesOf(value, name)
}

/** Refuses options that there are not: one that is misspelt would show what was to be hidden. */
export function checkNames(options, known, what) {
  if (typeof options !== 'object' || options === null) throw new ClaimError(`${what} takes an object`)
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    const others = known.length > 0 ? `; it has ${known.join(', ')}` : ''
    throw new ClaimError(`${what} has no option \`${name}\`${others}`)
  }
}

const whole = (least, most) => [`a whole number from ${least} to ${most}`, (value) => Number.isInteger(value) && value >= least && value <= most]
const oneOf = (...names) => [names.map((name) => `"${name}"`).join(' or '), (value) => names.includes(value)]
const FLAG = ['true or false', (value) => typeof value === 'boolean']

/** What each option may be, in words, and whether a value is that. The ranges are those of the program. */
const OPTIONS = {
  profile: oneOf('lan', 'wan'),
  role: oneOf('prover', 'verifier'),
  fiatShamir: FLAG,
  simd: FLAG,
  web: FLAG,
  rho: whole(1, 128),
  sigma: whole(1, 128),
  timeout: [
    'a number of seconds from 0.001 to 31536000',
    (value) => typeof value === 'number' && value >= 0.001 && value <= 31_536_000,
  ],
  onProgress: ['a function', (value) => typeof value === 'function'],
  signal: [
    'an AbortSignal',
    (value) => typeof value?.aborted === 'boolean' && typeof value.throwIfAborted === 'function' && typeof value.addEventListener === 'function',
  ],
}

/** Options of a session. */
export const SESSION = ['profile', 'fiatShamir', 'rho', 'timeout']

/**
 * The options of a call, each of them as it may be; one that is `undefined` is left out. A value that is taken for another one could make
 * the check of a proof weaker than its caller believes, so nothing is converted.
 */
export function optionsOf(options, known, what) {
  checkNames(options, known, what)
  const taken = {}
  for (const name of known) {
    const value = options[name]
    if (value === undefined) continue
    const [words, allows] = OPTIONS[name]
    if (!allows(value)) throw new ClaimError(`\`${name}\` of ${what} must be ${words}`)
    taken[name] = value
  }
  return taken
}

export function textOf(value, name) {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new ClaimError(`${name} must be text`)
}

/** A list of what `each(item, name)` makes of its items; an empty one if it is left out. */
function listOf(value, name, each) {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new ClaimError(`\`${name}\` must be a list`)
  return value.map((item) => each(item, `\`${name}\``))
}

/** Names of parts. */
export const namesOf = (value, name) => listOf(value, name, textOf)

/** Header fields: lines, or a `Headers` object, or an object with a value for each name. */
function headersOf(headers) {
  if (headers === undefined || headers === null) return []
  if (typeof headers !== 'object') throw new ClaimError('`headers` must be an object, or a list of lines')
  if (Array.isArray(headers)) return headers.map((line) => textOf(line, '`headers`'))
  const pairs = typeof headers[Symbol.iterator] === 'function' ? [...headers] : Object.entries(headers)
  return pairs.map(([name, value]) => `${name}: ${textOf(value, name)}`)
}

const WEB = [
  ...['notary', 'notaryKey', 'token', 'url', 'method', 'headers', 'body', 'hide', 'reveal', 'assert', 'commit', 'commitAll'],
  ...['showRest', 'context', 'tls', 'expect', 'timeout', 'roots', 'noAlpn'],
]

/** What `web.prove` takes, as the module takes it. */
export function webOf(wanted) {
  checkNames(wanted, WEB, 'web.prove')
  const { notaryKey, token, headers, body, context, roots, url, notary, hide, reveal, assert, commit, ...rest } = wanted
  return {
    ...rest,
    url: textOf(url instanceof URL ? url.href : url, '`url`'),
    hide: namesOf(hide, 'hide'),
    // Without a list the response shows. Somebody who gives an empty one means to show nothing.
    reveal: reveal === undefined || reveal === null ? undefined : namesOf(reveal, 'reveal'),
    assert: namesOf(assert, 'assert'),
    commit: namesOf(commit, 'commit'),
    notaryKey: keyOf(notaryKey, 'notaryKey'),
    token: maybeBytes(token, 'token'),
    headers: headersOf(headers),
    body: maybeBytes(body, 'body'),
    context: maybeBytes(context, 'context'),
    roots: maybeBytes(roots, 'roots'),
  }
}

const DEMANDS = ['key', 'context', 'openings', 'ranges', 'maxRounds', 'allowHiddenPath', 'allowPipelined', 'allowNoAlpn']

/** What `attestation.verify` demands, as the module takes it. */
export function demandsOf(demands) {
  checkNames(demands, DEMANDS, 'attestation.verify')
  const { key, context, openings, ranges, ...rest } = demands
  // Anybody may have signed a document, and a key that a page has forgotten must not pass for one.
  if (key === undefined || key === null) throw new ClaimError('attestation.verify needs the `key` of the notary that you trust')
  return {
    ...rest,
    key: keyOf(key, 'key'),
    context: maybeBytes(context, 'context'),
    openings: listOf(openings, 'openings', bytesOf),
    ranges: listOf(ranges, 'ranges', bytesOf),
  }
}

const KNOWN = ['statement', 'values', 'circuit', 'r1cs', 'public', 'field', 'ring', 'anyOf', 'atLeast', 'repeat', 'disjunction']

/** A claim as the module takes it. */
export function claimOf(claim) {
  if (typeof claim !== 'object' || claim === null) throw new ClaimError('a claim is an object')
  for (const name of Object.keys(claim)) {
    if (!KNOWN.includes(name)) throw new ClaimError(`a claim has no property \`${name}\`; it may have ${KNOWN.join(', ')}`)
  }
  const circuitOf = ({ circuit, r1cs }) => {
    if (circuit !== undefined && r1cs !== undefined) throw new ClaimError('give `circuit` or `r1cs`, not both')
    const file = circuit ?? r1cs
    return file === undefined ? undefined : bytesOf(file, '`circuit`')
  }
  const branchOf = (branch) => {
    checkNames(branch, ['circuit', 'r1cs', 'public'], 'a branch of `anyOf`')
    return { circuit: circuitOf(branch), public: publicOf(branch.public) }
  }
  const { statement, field, ring, anyOf, atLeast, repeat, disjunction } = claim
  return {
    statement,
    field,
    ring,
    atLeast,
    repeat,
    disjunction,
    circuit: circuitOf(claim),
    public: publicOf(claim.public),
    values: Object.entries(claim.values ?? {}).map(([name, value]) => [name, valueOf(value, name)]),
    anyOf: anyOf === undefined || anyOf === null ? undefined : listOf(anyOf, 'anyOf', branchOf),
  }
}

/** A witness as the module takes it. */
export function witnessOf(witness) {
  const parts = Array.isArray(witness) ? witness : witness?.branch !== undefined ? [witness] : null
  if (parts) return parts.map(({ branch, witness }) => ({ branch, witness: bytesOf(witness, 'a witness') }))
  return bytesOf(witness, 'a witness')
}
