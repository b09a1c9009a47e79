// The package's front: sessions in workers, so that a page never stalls. In node and in pages that are isolated:
//
//   this thread            party.js                         socket.js
//   open, prove  ------->  the module (blocks)  == rings ==  WebSocket  <------>  the peer
//
// In other pages, if the engine has JavaScript Promise Integration:
//
//   this thread            party.js
//   open, prove  ------->  the module (suspended while it waits)  == rings ==  WebSocket  <------>  the peer
//
import { ClaimError, SessionError, revived } from './errors.js'
import { chooseSimd, compiledModule, moduleName } from './modules.js'
import { SESSION, bytesOf, claimOf, demandsOf, namesOf, optionsOf, textOf, webOf, witnessOf } from './normal.js'
import { FAREWELL, giveBack, startParty } from './pool.js'
import { checkWire, startWire } from './wires.js'

export * from './errors.js'
export { hasSimd } from './modules.js'

function urlOf(url) {
  try {
    const { href, protocol } = new URL(url)
    if (protocol === 'ws:' || protocol === 'wss:') return href
  } catch {}
  throw new ClaimError(`\`${url}\` is no address of a WebSocket: it begins with wss:// or ws://`)
}

/** This machine. Nobody else is on the way to it. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** The address of a notary, which gets a token and what is revealed: with TLS, or on this machine. */
function notaryUrlOf(url) {
  const href = urlOf(url)
  const { protocol, hostname } = new URL(href)
  if (protocol === 'wss:' || LOOPBACK.test(hostname)) return href
  throw new ClaimError('`notary` is a ws:// address, and anybody on the way would read what is sent there: give one with wss://')
}

/**
 * Loads and compiles the module for claims, and with `web` the one for web data, which any call does if it was not done before.
 * `simd` says which ones, for this call and all that follow.
 */
export async function preload(options = {}) {
  const { simd, web = false } = optionsOf(options, ['simd', 'web'], 'preload')
  if (simd !== undefined) chooseSimd(simd)
  await Promise.all([compiledModule(moduleName()), web && compiledModule(moduleName({ web }))])
}

/** A party, and its wire to the peer. */
class Connection {
  /** Why the connection ended, once it has. */
  told
  #tasks
  #wire
  #ended
  #kind
  /** Ends all workers that have started by then and were not given back. */
  #workers = new AbortController()

  /** `kind` is that of the module. */
  constructor(kind) {
    this.#kind = kind
  }

  /**
   * Connects to `url` and runs the party's first task, which gets the rings; `check` is a task that must succeed before. Whoever calls this
   * calls `close` in the end, also if it fails.
   */
  async start(url, what, details, { check, ...options } = {}) {
    const [tasks, wire] = await this.#startBoth(check, details)
    this.#tasks = tasks
    this.#wire = wire
    let rings
    const opened = new Promise((resolve, reject) => {
      rings = wire.connect(url, ({ opened, closed, error, code, reason }) => {
        if (opened) return resolve()
        if (!closed) return
        const why = reason ? `: ${reason}` : ''
        this.told = error ? revived(error) : new SessionError(`the connection to ${url} is closed (code ${code}${why})`)
        reject(this.told)
      })
    })
    wire.hold()
    try {
      await opened
      return await tasks.run(what, { ...details, ...rings.details }, { ...options, transfer: rings.transfer })
    } finally {
      wire.release()
    }
  }

  /** Starts all workers, and has the party run the task `check`. If any of that fails, `close` ends those that have started. */
  async #startBoth(check, details) {
    const over = this.#workers.signal
    const party = startParty(this.#kind, over)
    const both = await Promise.all([party, startWire(party, over)])
    if (check) await both[0].run(check, details)
    return both
  }

  /** Whether the connection is over. */
  get ended() {
    return this.#ended
  }

  /** Runs a task of the party, while the socket is kept alive. */
  async run(what, details, options) {
    this.#wire.hold()
    try {
      return await this.#tasks.run(what, details, options)
    } finally {
      this.#wire.release()
    }
  }

  /** Runs `work`, and ends the connection at once when `signal` says so. */
  async guarded(signal, work) {
    let abort
    const aborted = new Promise((_, reject) => {
      abort = () => {
        this.#abort()
        reject(signal.reason)
      }
    })
    signal?.addEventListener('abort', abort, { once: true })
    try {
      return await (signal ? Promise.race([work(), aborted]) : work())
    } catch (error) {
      // Why the connection ended says more than that it did.
      if (error instanceof SessionError && this.told && /closed the connection/.test(error.message)) {
        error.cause = this.told
      }
      throw error
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  #abort() {
    this.#ended = true
    // There is no peer yet.
    if (!this.#wire) return this.#terminate()
    // A party that waits tells its peer. One that computes is ended in the middle of it.
    this.#wire.abort()
    setTimeout(() => this.#terminate(), FAREWELL)
  }

  #terminate() {
    this.#ended = true
    this.#workers.abort(new SessionError('the session is over'))
  }

  /** Ends the connection, also if a proof is under way. The peer sees it close. */
  close() {
    if (this.#ended) return
    if (!this.#tasks || this.#tasks.pending.size > 0) return this.#abort()
    this.#ended = true
    const tasks = this.#tasks
    const end = () => setTimeout(() => this.#terminate(), FAREWELL)
    tasks.run('close').then(end, () => {
      // Whoever has taken the worker by now cannot rely on it.
      tasks.fail(new SessionError('the session before this one has not ended well'))
      tasks.worker.end()
      end()
    })
    // Whoever takes it waits until that is done.
    giveBack(tasks)
  }
}

/** Options of one proof in a session. */
const TASK = ['onProgress', 'signal']

/** A session about one claim: set up once, then any number of proofs. */
export class Session {
  #connection = new Connection()
  #role
  #total

  /** @see open */
  static async open(url, claim, given = {}) {
    const { role = 'prover', signal, ...options } = optionsOf(given, [...SESSION, 'role', 'signal'], 'open')
    signal?.throwIfAborted()
    const session = new Session()
    session.#role = role
    const [address, normal] = [urlOf(url), claimOf(claim)]
    checkWire()
    const connection = session.#connection
    try {
      const details = { role, claim: normal, options }
      session.#total = await connection.guarded(signal, () => connection.start(address, 'open', details))
    } catch (error) {
      session.close()
      throw error
    }
    return session
  }

  /** The number of values that a proof commits to, if this party knows it. */
  get total() {
    return this.#total
  }

  /** Proves the claim. */
  prove(witness, options = {}) {
    if (this.#role !== 'prover') return Promise.reject(new ClaimError('this session verifies'))
    return this.#run('prove', () => ({ witness: witnessOf(witness) }), options)
  }

  /** Verifies a proof of the claim. Resolves only if the proof holds. */
  verify(options = {}) {
    if (this.#role !== 'verifier') return Promise.reject(new ClaimError('this session proves'))
    return this.#run('verify', () => ({}), options)
  }

  async #run(what, details, options) {
    const { onProgress, signal } = optionsOf(options, TASK, what)
    signal?.throwIfAborted()
    const connection = this.#connection
    if (connection.ended) throw new SessionError('the session is over')
    const work = () => connection.run(what, { ...details(), total: this.#total }, { onProgress })
    return connection.guarded(signal, work)
  }

  /** Ends the session. The peer sees the connection close. */
  close() {
    this.#connection.close()
  }
}

/**
 * Connects to a party that listens for a WebSocket at `url`, and sets a session about `claim` up, before a witness is known.
 */
export function open(url, claim, options = {}) {
  return Session.open(url, claim, options)
}

/** Proves `claim` to the verifier at `url`. Resolves when the verifier has accepted. */
export async function prove(url, claim, witness, options = {}) {
  const { onProgress, signal, ...session } = optionsOf(options, [...SESSION, ...TASK], 'prove')
  const known = witnessOf(witness)
  const party = await Session.open(url, claim, { ...session, role: 'prover', signal })
  try {
    return await party.prove(known, { onProgress, signal })
  } finally {
    party.close()
  }
}

/** Verifies a proof of `claim` by the prover at `url`. Resolves only if the proof holds. */
export async function verify(url, claim, options = {}) {
  const { onProgress, signal, ...session } = optionsOf(options, [...SESSION, ...TASK], 'verify')
  const party = await Session.open(url, claim, { ...session, role: 'verifier', signal })
  try {
    return await party.verify({ onProgress, signal })
  } finally {
    party.close()
  }
}

/** Runs one task in a worker that nobody else has meanwhile. */
async function once(what, details, signal, kind) {
  signal?.throwIfAborted()
  const over = new AbortController()
  const abort = () => over.abort(signal.reason)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    const tasks = await startParty(kind, over.signal)
    const result = await tasks.run(what, details)
    giveBack(tasks)
    return result
  } finally {
    signal?.removeEventListener('abort', abort)
    over.abort()
  }
}

/** Checks that a witness satisfies a claim, without a peer. */
export async function check(claim, witness, options = {}) {
  const { signal } = optionsOf(options, ['signal'], 'check')
  return once('check', { claim: claimOf(claim), witness: witnessOf(witness) }, signal)
}

/** Makes a proof of `claim` that anyone can verify. */
export async function makeProof(claim, witness, options = {}) {
  const { sigma = 128, signal } = optionsOf(options, ['sigma', 'signal'], 'makeProof')
  return once('makeProof', { claim: claimOf(claim), witness: witnessOf(witness), sigma }, signal)
}

/** Verifies a proof that anyone can verify. Resolves only if it is one of `claim`. */
export async function verifyProof(claim, proof, options = {}) {
  const { sigma = 128, signal } = optionsOf(options, ['sigma', 'signal'], 'verifyProof')
  return once('verifyProof', { claim: claimOf(claim), proof: bytesOf(proof, 'a proof'), sigma }, signal)
}

const WEB = { web: true }

/** What a website said. */
export const web = {
  /** Fetches a page together with a notary, which carries the connection, and proves what is asked for of it. */
  async prove(wanted, options = {}) {
    const { onProgress, signal } = optionsOf(options, TASK, 'web.prove')
    signal?.throwIfAborted()
    const [normal, address] = [webOf(wanted), notaryUrlOf(wanted.notary)]
    checkWire()
    const connection = new Connection(WEB)
    try {
      return await connection.guarded(signal, () => connection.start(address, 'proveWeb', { wanted: normal }, { check: 'checkWeb', onProgress }))
    } finally {
      connection.close()
    }
  },
}

/** What a notary signed. */
export const attestation = {
  /** What an attestation says, whoever signed it: nobody has compared its key with one that is trusted. */
  async show(document, options = {}) {
    const { signal } = optionsOf(options, ['signal'], 'attestation.show')
    return JSON.parse(await once('showAttestation', { document: bytesOf(document, 'an attestation') }, signal, WEB))
  },

  /** Checks that the owner of `key` signed an attestation, and returns what it says. */
  async verify(document, { signal: given, ...demands } = {}) {
    const { signal } = optionsOf({ signal: given }, ['signal'], 'attestation.verify')
    const details = { document: bytesOf(document, 'an attestation'), demands: demandsOf(demands) }
    return JSON.parse(await once('verifyAttestation', details, signal, WEB))
  },

  /** Makes openings of these committed parts alone, for a reader. */
  async open(document, openings, parts, options = {}) {
    const { signal } = optionsOf(options, ['signal'], 'attestation.open')
    const details = { document: bytesOf(document, 'an attestation'), openings: bytesOf(openings, 'openings'), parts: namesOf(parts, 'parts') }
    return once('openAttestation', details, signal, WEB)
  },

  /** Proves that a committed number lies in a range, such as `response.json:balance in 5000..`. */
  async proveRange(document, openings, claim, options = {}) {
    const { signal } = optionsOf(options, ['signal'], 'attestation.proveRange')
    const details = { document: bytesOf(document, 'an attestation'), openings: bytesOf(openings, 'openings'), claim: textOf(claim, 'a claim') }
    return once('proveRange', details, signal, WEB)
  },
}
