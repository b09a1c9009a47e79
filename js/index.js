// The package's front: sessions in two workers each, so that a page never stalls.
//
//   this thread            party.js                         socket.js
//   open, prove  ------->  the module (blocks)  == rings ==  WebSocket  <------>  the peer
//
import { ClaimError, SessionError, UnsupportedError, revived } from './errors.js'
import { startWorker } from './host.js'
import { chooseSimd, compiledModule, moduleName } from './modules.js'
import { claimOf, bytesOf, witnessOf } from './normal.js'
import { PartyEnd, makeRings } from './ring.js'

export * from './errors.js'
export { hasSimd } from './modules.js'

/** How long an aborted party may take to tell its peer, in milliseconds, before its workers are ended. */
const FAREWELL = 200

/** A worker that runs tasks one after the other and answers each. */
class Tasks {
  constructor(worker) {
    this.worker = worker
    this.pending = new Map()
    this.next = 0
    worker.listen(
      (message) => this.answer(message),
      (error) => this.fail(new SessionError(`a worker failed: ${error?.message ?? error}`)),
    )
  }

  answer({ task, progress, error, result }) {
    const pending = this.pending.get(task)
    if (!pending) return
    if (progress) return pending.onProgress?.(progress)
    this.settle(task)
    if (error) pending.reject(revived(error))
    else pending.resolve(result)
  }

  settle(task) {
    this.pending.delete(task)
    if (this.pending.size === 0) this.worker.release()
  }

  run(what, details = {}, { onProgress, transfer } = {}) {
    if (this.failed) return Promise.reject(this.failed)
    const task = this.next++
    return new Promise((resolve, reject) => {
      this.pending.set(task, { resolve, reject, onProgress })
      this.worker.hold()
      this.worker.post({ task, what, ...details }, transfer)
    })
  }

  /** Ends all tasks, and all later ones, with this error. */
  fail(error) {
    this.failed ??= error
    for (const [task, { reject }] of this.pending) {
      this.settle(task)
      reject(error)
    }
  }
}

async function startParty() {
  const name = moduleName()
  let module
  try {
    module = await compiledModule(name)
  } catch (error) {
    throw new UnsupportedError(`the module ${name} could not be loaded: ${error.message}`)
  }
  const tasks = new Tasks(await startWorker(new URL('./party.js', import.meta.url)))
  await tasks.run('load', { name, module })
  return tasks
}

function checkIsolated() {
  if (typeof SharedArrayBuffer === 'function' && globalThis.crossOriginIsolated !== false) return
  throw new UnsupportedError(
    'this page has no shared memory, because it is not isolated: its server must send the headers ' +
      '"Cross-Origin-Opener-Policy: same-origin" and "Cross-Origin-Embedder-Policy: require-corp" ' +
      '(and the page must come over https, or from localhost)',
  )
}

function urlOf(url) {
  try {
    const { href, protocol } = new URL(url)
    if (protocol === 'ws:' || protocol === 'wss:') return href
  } catch {}
  throw new ClaimError(`\`${url}\` is no address of a WebSocket: it begins with wss:// or ws://`)
}

/**
 * Loads and compiles the module, which any call does if it was not done before. `simd` says which one, for this call and all
 * that follow.
 */
export async function preload({ simd } = {}) {
  if (simd !== undefined) chooseSimd(simd)
  await compiledModule(moduleName())
}

/** A session about one claim: set up once, then any number of proofs. */
export class Session {
  #tasks
  #socket
  #end
  #role
  #total
  #ended
  #told

  /** @see open */
  static async open(url, claim, { role = 'prover', signal, ...options } = {}) {
    signal?.throwIfAborted()
    const session = new Session()
    session.#role = role
    const [address, normal] = [urlOf(url), claimOf(claim)]
    checkIsolated()
    const guard = session.#guard(signal)
    try {
      await guard.race(session.#start(address, normal, options))
    } catch (error) {
      session.close()
      throw error
    } finally {
      guard.off()
    }
    return session
  }

  async #start(url, claim, options) {
    const buffer = makeRings()
    // A third end of the same memory, to abort.
    this.#end = new PartyEnd(buffer, () => {})
    const { port1, port2 } = new MessageChannel()
    const [tasks, socket] = await Promise.all([startParty(), startWorker(new URL('./socket.js', import.meta.url))])
    this.#tasks = tasks
    this.#socket = socket
    if (this.#ended) return this.#terminate()
    const opened = new Promise((resolve, reject) => {
      const failed = (error) => {
        this.#told = error
        reject(error)
      }
      socket.listen(
        ({ opened, closed, error, code, reason }) => {
          if (opened) return resolve()
          if (!closed) return
          const why = reason ? `: ${reason}` : ''
          failed(error ? revived(error) : new SessionError(`the connection to ${url} is closed (code ${code}${why})`))
        },
        (error) => failed(new SessionError(`the socket's worker failed: ${error?.message ?? error}`)),
      )
    })
    socket.hold()
    socket.post({ url, buffer, wake: port1 }, [port1])
    try {
      await opened
      this.#total = await tasks.run('open', { role: this.#role, claim, options, buffer, wake: port2 }, { transfer: [port2] })
    } finally {
      socket.release()
    }
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

  async #run(what, details, { onProgress, signal }) {
    signal?.throwIfAborted()
    if (this.#ended) throw new SessionError('the session is over')
    const guard = this.#guard(signal)
    this.#socket.hold()
    try {
      return await guard.race(this.#tasks.run(what, { ...details(), total: this.#total }, { onProgress }))
    } catch (error) {
      // Why the connection ended says more than that it did.
      if (error instanceof SessionError && this.#told && /closed the connection/.test(error.message)) {
        error.cause = this.#told
      }
      throw error
    } finally {
      this.#socket.release()
      guard.off()
    }
  }

  /** Ends the session at once when `signal` says so. */
  #guard(signal) {
    let abort
    const aborted = new Promise((_, reject) => {
      abort = () => {
        this.#abort()
        reject(signal.reason)
      }
    })
    signal?.addEventListener('abort', abort, { once: true })
    return {
      race: (promise) => (signal ? Promise.race([promise, aborted]) : promise),
      off: () => signal?.removeEventListener('abort', abort),
    }
  }

  #abort() {
    this.#ended = true
    // A party that waits tells its peer. One that computes is ended in the middle of it.
    this.#end?.abort()
    setTimeout(() => this.#terminate(), FAREWELL)
  }

  #terminate() {
    this.#tasks?.fail(new SessionError('the session is over'))
    this.#tasks?.worker.terminate()
    this.#socket?.terminate()
  }

  /** Ends the session. The peer sees the connection close. */
  close() {
    if (this.#ended) return
    this.#ended = true
    const end = () => setTimeout(() => this.#terminate(), FAREWELL)
    if (!this.#tasks) return end()
    this.#tasks.run('close').then(end, end)
  }
}

/**
 * Connects to a party that listens for a WebSocket at `url`, and sets a session about `claim` up, before a witness is known.
 */
export function open(url, claim, options = {}) {
  return Session.open(url, claim, options)
}

/** Proves `claim` to the verifier at `url`. Resolves when the verifier has accepted. */
export async function prove(url, claim, witness, { onProgress, signal, ...options } = {}) {
  const known = witnessOf(witness)
  const session = await Session.open(url, claim, { ...options, role: 'prover', signal })
  try {
    return await session.prove(known, { onProgress, signal })
  } finally {
    session.close()
  }
}

/** Verifies a proof of `claim` by the prover at `url`. Resolves only if the proof holds. */
export async function verify(url, claim, { onProgress, signal, ...options } = {}) {
  const session = await Session.open(url, claim, { ...options, role: 'verifier', signal })
  try {
    return await session.verify({ onProgress, signal })
  } finally {
    session.close()
  }
}

/** Runs one task in a worker of its own. */
async function once(what, details, signal) {
  signal?.throwIfAborted()
  const tasks = await startParty()
  const abort = () => tasks.fail(signal.reason)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    if (signal?.aborted) abort()
    return await tasks.run(what, details)
  } finally {
    signal?.removeEventListener('abort', abort)
    tasks.worker.terminate()
  }
}

/** Checks that a witness satisfies a claim, without a peer. */
export async function check(claim, witness, { signal } = {}) {
  return once('check', { claim: claimOf(claim), witness: witnessOf(witness) }, signal)
}

/** Makes a proof of `claim` that anyone can verify. */
export async function makeProof(claim, witness, { sigma = 128, signal } = {}) {
  return once('makeProof', { claim: claimOf(claim), witness: witnessOf(witness), sigma }, signal)
}

/** Verifies a proof that anyone can verify. Resolves only if it is one of `claim`. */
export async function verifyProof(claim, proof, { sigma = 128, signal } = {}) {
  return once('verifyProof', { claim: claimOf(claim), proof: bytesOf(proof, 'a proof'), sigma }, signal)
}
