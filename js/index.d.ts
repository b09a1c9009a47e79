/** Bytes, or text that stands for its UTF-8. */
export type Bytes = string | Uint8Array | ArrayBuffer

/** Public values: a file's content, or a list as in snarkjs's `public.json`. */
export type Public = Bytes | readonly (string | number | bigint)[]

/** A statement that is built in, with its public values by name. Bytes are written as hex digits. */
export interface BuiltinClaim {
  /** Such as `sha256-preimage`, `aes128-key`, `inner-product`. */
  statement: string
  values?: Record<string, string | number | bigint | Uint8Array | ArrayBuffer>
  public?: Public
  /** The field of a statement over numbers, such as `f61`. */
  field?: string
}

/** A circuit in Bristol format, old or new, and what is claimed of its inputs and outputs. */
export interface CircuitClaim {
  circuit: Bytes
  public?: Public
  /** The ring of a circuit over machine words. */
  ring?: 'z32' | 'z64'
}

/** A constraint system of circom, and its public values. A prover may leave them out: its witness has them. */
export interface R1csClaim {
  r1cs: Bytes
  public?: Public
}

/** Some of several circuits, or of several constraint systems. Nobody learns which. */
export interface AnyOfClaim {
  anyOf: readonly ({ circuit: Bytes; public?: Public } | R1csClaim)[]
  /** The same for all branches that have none of their own. */
  public?: Public
  /** How many different branches hold; 1 if it is left out. */
  atLeast?: number
  /** How often it is proved that one of them holds. */
  repeat?: number
  disjunction?: 'robin'
}

export type Claim = BuiltinClaim | CircuitClaim | R1csClaim | AnyOfClaim

/** A witness file's content: values in text, or a `.wtns` file. Of several circuits, that of each branch that holds. */
export type Witness = Bytes | { branch: number; witness: Bytes } | readonly { branch: number; witness: Bytes }[]

export interface Progress {
  /** Values committed to so far. */
  done: number
  /** Values of the whole proof, if they are known. */
  total?: number
}

export interface TaskOptions {
  onProgress?: (progress: Progress) => void
  /** Ends the session at once. */
  signal?: AbortSignal
}

/** Both parties need the same, time-outs excepted. */
export interface SessionOptions {
  /** Fewest seconds (`lan`, the default) or fewest bytes (`wan`). */
  profile?: 'lan' | 'wan'
  /** Challenges are hashes, and the verifier chooses none. */
  fiatShamir?: boolean
  /** The least soundness in bits, from 1 to 128; what suits the claim if it is left out. */
  rho?: number
  /** Seconds to wait for the peer's next message, from 0.001 on; 30 if it is left out. */
  timeout?: number
}

/** What a proof took, and what it is worth. */
export interface Report {
  /** A false claim is accepted with a probability below two to minus this. */
  soundness: number
  seconds: number
  bytesSent: number
  bytesReceived: number
  roundTrips: number
  multiplications: number
}

/** What a public proof says of itself. */
export interface PublicReport {
  protocol: string
  soundness: number
  seconds: number
}

/** A session about one claim: set up once, then any number of proofs. */
export class Session {
  private constructor()
  /** The number of values that a proof commits to, if this party knows it. */
  readonly total: number | undefined
  /** Proves the claim. Resolves when the verifier has accepted. */
  prove(witness: Witness, options?: TaskOptions): Promise<Report>
  /** Verifies a proof of the claim. Resolves only if the proof holds. */
  verify(options?: TaskOptions): Promise<Report>
  /** Ends the session. The peer sees the connection close. */
  close(): void
}

/**
 * Connects to the party at `url` and sets a session up, before a witness is known. In a page this needs isolation by the page's headers, or
 * JavaScript Promise Integration (JSPI) in the browser; with neither it rejects with an `UnsupportedError`. So do `prove`, `verify` and
 * `web.prove`.
 */
export function open(
  url: string | URL,
  claim: Claim,
  options?: SessionOptions & { role?: 'prover' | 'verifier'; signal?: AbortSignal },
): Promise<Session>

/** Proves `claim` to the verifier at `url`. Resolves when the verifier has accepted. */
export function prove(url: string | URL, claim: Claim, witness: Witness, options?: SessionOptions & TaskOptions): Promise<Report>

/** Verifies a proof of `claim` by the prover at `url`. Resolves only if the proof holds. */
export function verify(url: string | URL, claim: Claim, options?: SessionOptions & TaskOptions): Promise<Report>

/** Checks that a witness satisfies a claim, without a peer. */
export function check(claim: Claim, witness: Witness, options?: { signal?: AbortSignal }): Promise<void>

/**
 * Makes a proof of `claim` that anyone can verify. `sigma` is its soundness against each hash computation, in bits: 1 to 128, and 128 if
 * it is left out.
 */
export function makeProof(claim: Claim, witness: Witness, options?: { sigma?: number; signal?: AbortSignal }): Promise<Uint8Array>

/** Verifies a proof that anyone can verify. Resolves only if it is one of `claim`, of at least `sigma` bits: 1 to 128, or 128 if it is left out. */
export function verifyProof(claim: Claim, proof: Bytes, options?: { sigma?: number; signal?: AbortSignal }): Promise<PublicReport>

/** A part of a request or a response, as on the program's command line: `response.json:balance`, `request.header:Cookie`. */
export type PartName = string

export interface WebPage {
  /** The notary's WebSocket. It must carry connections: `volery notary serve --relay`. */
  notary: string | URL
  /** The key that the notary signs with: 32 bytes, or as hexadecimal digits. */
  notaryKey: string | Uint8Array | ArrayBuffer
  /** What shows the notary who asks, if it wants to know. */
  token?: Bytes
  /** The page: `https://host[:port]/path`. */
  url: string | URL
  method?: string
  /** Header fields; their values are hidden. */
  headers?: readonly string[] | Record<string, string> | Headers
  body?: Bytes
  /** With a list, all else of the response is hidden: with an empty one, all of it. Without a list, all else is shown. */
  reveal?: readonly PartName[] | null
  hide?: readonly PartName[]
  /** Claims about parts, which are hidden: `response.json:balance in 5000..`. */
  assert?: readonly string[]
  /** Parts that are hidden and committed to, to be opened later. */
  commit?: readonly PartName[]
  /** Commits to every hidden part. */
  commitAll?: boolean
  showRest?: boolean
  /** What the reader wants the attestation to be for. */
  context?: Bytes
  /** The version of TLS; the website's choice if it is left out. */
  tls?: '1.2' | '1.3'
  /** About how many bytes of the response are proved; 1024 if it is left out. */
  expect?: number
  /** Seconds that the website may take for its next bytes. */
  timeout?: number
  /** Authorities to trust besides the public ones, in PEM. */
  roots?: Bytes
  noAlpn?: boolean
}

/** What a proof of a page leaves. Openings and leaves are secrets of their holder. */
export interface Attested {
  attestation: Uint8Array
  /** What opens the commitments, if there are any. */
  openings?: Uint8Array
  /** What opens the leaves, if everything is committed to: a file for `volery attestation present`. Nothing in this package takes it. */
  leaves?: Uint8Array
  /** All bytes of the response. */
  response: Uint8Array
}

export const web: {
  /**
   * Fetches a page together with a notary, which carries the connection, and proves what is asked for of it.
   *
   * What cannot be proved of the request is a `ClaimError`, and a claim about it that is not true a `WitnessError`, before
   * anything is sent. The same about the response is found only when it has come: the website has then done what it was asked
   * for.
   */
  prove(
    page: WebPage,
    options?: { onProgress?: (progress: { phase: string }) => void; signal?: AbortSignal },
  ): Promise<Attested>
}

/** What a reader demands. */
export interface Demands {
  /** The key of the notary that you trust. */
  key: string | Uint8Array | ArrayBuffer
  context?: Bytes
  openings?: readonly Bytes[]
  ranges?: readonly Bytes[]
  /** The most requests on the connection; 1 if it is left out. */
  maxRounds?: number
  allowHiddenPath?: boolean
  allowPipelined?: boolean
  allowNoAlpn?: boolean
  signal?: AbortSignal
}

/** What an attestation says. */
export interface AttestationReport {
  /** The key that signed it: the one that was demanded, or of `show` the one that it names itself. */
  signer: string
  /** Whether the signer is one that was demanded. Of `show` it is not: anybody may have signed. */
  trusted: boolean
  /** In words, a line each. */
  summary: string[]
  /** What a reader has to decide, in words: hidden paths and queries, unknown header fields, several requests, and the like. */
  warnings: string[]
  /** All of it, as `volery attestation show --json` prints it. */
  attestation: Record<string, unknown>
  opened: { message: 'request' | 'response'; part: string; bytes: string }[]
  inRange: { message: 'request' | 'response'; part: string; least: string; greatest: string }[]
}

export const attestation: {
  /** What an attestation says, whoever signed it: to look at it, not to believe it. `trusted` is false. */
  show(document: Bytes, options?: { signal?: AbortSignal }): Promise<AttestationReport & { trusted: false }>
  /** Checks that the owner of `key` signed it, and that it is as demanded. */
  verify(document: Bytes, demands: Demands): Promise<AttestationReport & { trusted: true }>
  /** Openings of these parts alone, for a reader. */
  open(document: Bytes, openings: Bytes, parts: readonly PartName[], options?: { signal?: AbortSignal }): Promise<Uint8Array>
  /** A proof that a committed number lies in a range. */
  proveRange(document: Bytes, openings: Bytes, claim: string, options?: { signal?: AbortSignal }): Promise<Uint8Array>
}

/**
 * Loads and compiles the module for claims, and with `web` the one for web data, which any call does if it was not done before.
 * `simd` says which ones, for this call and all that follow; those that suit the engine if it is left out.
 */
export function preload(options?: { simd?: boolean; web?: boolean }): Promise<void>

/** Whether this engine has the instructions of simd128. Without them other, slower modules are taken. */
export function hasSimd(): boolean

/** An error of this package. */
export class VoleryError extends Error {}
/** The claim or an option makes no sense, or a file is not as it must be. */
export class ClaimError extends VoleryError {}
/** The witness does not satisfy the claim, or a claim about a page is not true. The verifier or the notary was told nothing of it. */
export class WitnessError extends VoleryError {}
/** The proof is wrong. */
export class RejectedError extends VoleryError {}
/** The parties, or a proof and its reader, are about different claims or settings. */
export class MismatchError extends VoleryError {}
/** The connection or the peer failed. */
export class SessionError extends VoleryError {}
/** This page, or this engine, lacks something that is needed. The message says what. */
export class UnsupportedError extends VoleryError {}
