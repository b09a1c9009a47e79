// What a party has between itself and its peer: a second worker, with which it shares memory, or a socket of its own.
import { UnsupportedError, plain } from './errors.js'
import { startWorker } from './host.js'
import { PartyEnd, makeRings } from './ring.js'

/** How parties wait in this page: they block, if memory is `shared`, or they are `suspended`. */
export function wireKind() {
  // Where memory is shared the socket moves bytes while the party computes, and every engine can do it.
  if (typeof SharedArrayBuffer === 'function' && globalThis.crossOriginIsolated !== false) return 'shared'
  if (typeof WebAssembly.Suspending === 'function' && typeof WebAssembly.promising === 'function') return 'suspended'
}

/** Throws if parties cannot wait in this page. */
export function checkWire() {
  if (wireKind()) return
  throw new UnsupportedError(
    'this page has no shared memory, because it is not isolated: its server must send the headers ' +
      '"Cross-Origin-Opener-Policy: same-origin" and "Cross-Origin-Embedder-Policy: require-corp" ' +
      '(and the page must come over https, or from localhost). Browsers with JavaScript Promise Integration (JSPI), such as Chromium ' +
      'from version 137 on, need neither',
  )
}

/** The wire of `party`, a promise of its tasks, until `over` ends it. */
export async function startWire(party, over) {
  if (wireKind() === 'suspended') return new OwnSocket(await party, over)
  return new SharedRings(await startWorker(new URL('./socket.js', import.meta.url), over))
}

/** The socket's worker, and memory that the party's shares with it. */
class SharedRings {
  #socket
  #end

  constructor(socket) {
    this.#socket = socket
  }

  /** Connects to `url`. `tell` hears when the socket is open, and why it is closed. Returns what the party's first task gets. */
  connect(url, tell) {
    const buffer = makeRings()
    // A third end of the same memory, to abort.
    this.#end = new PartyEnd(buffer, () => {})
    const { port1, port2 } = new MessageChannel()
    this.#socket.listen(tell, (error) => {
      tell({ closed: true, error: { name: 'SessionError', message: `the socket's worker failed: ${error?.message ?? error}` } })
    })
    this.#socket.post({ url, buffer, wake: port1 }, [port1])
    return { details: { buffer, wake: port2 }, transfer: [port2] }
  }

  /** Ends the party's wait. */
  abort() {
    this.#end?.abort()
  }

  hold() {
    this.#socket.hold()
  }

  release() {
    this.#socket.release()
  }
}

/** A socket in the party's worker. */
class OwnSocket {
  #tasks
  /** Of this session alone: the worker's next one has another. */
  #port

  constructor(tasks, over) {
    this.#tasks = tasks
    over.addEventListener('abort', () => this.#port?.close(), { once: true })
  }

  connect(url, tell) {
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.onmessage = ({ data }) => tell(data)
    this.#tasks.run('connect', { url, port: port2 }, { transfer: [port2] }).catch((error) => tell({ closed: true, error: plain(error) }))
    return { details: {}, transfer: [] }
  }

  abort() {
    this.#port?.postMessage('abort')
  }

  // A worker that has a task is held.
  hold() {}
  release() {}
}
