/** An error of this package. Each class says what to do about it. */
export class VoleryError extends Error {
  get name() {
    return this.constructor.name
  }
}

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

const CLASSES = { ClaimError, WitnessError, RejectedError, MismatchError, SessionError, UnsupportedError }

/** An error as a worker sends it. */
export function plain(error) {
  return { name: error?.name ?? 'Error', message: error?.message ?? String(error) }
}

/** The error that a worker sent. */
export function revived({ name, message }) {
  const Class = CLASSES[name]
  if (Class) return new Class(message)
  // The module itself failed: a trap of WebAssembly, memory that is not there.
  return new SessionError(`the party ended: ${name}: ${message}`)
}
