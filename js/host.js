// What differs between browsers and node: workers, and how a module's bytes are read.

/** Whether this is node (or something that speaks for it). */
export const isNode = typeof process === 'object' && process?.versions?.node !== undefined && typeof window === 'undefined'

/**
 * A worker that runs the module at `url` until `over`, a signal, ends it, or `end()`: `post`, `listen(onMessage, onError)`. After `outlive()`
 * the signal does not end it any more.
 */
export async function startWorker(url, over) {
  const endWith = (worker) => {
    const end = () => void worker.terminate()
    over.addEventListener('abort', end, { once: true })
    return { end, outlive: () => over.removeEventListener('abort', end) }
  }
  if (isNode) {
    const { Worker } = await import('node:worker_threads')
    // It may be over by now.
    over.throwIfAborted()
    const worker = new Worker(url)
    const life = endWith(worker)
    // A worker that waits for its next task keeps no program alive; a promise that waits for it does.
    worker.unref()
    return {
      post: (message, transfer) => worker.postMessage(message, transfer),
      listen(onMessage, onError) {
        worker.on('message', onMessage)
        worker.on('error', onError)
        worker.unref()
      },
      hold: () => worker.ref(),
      release: () => worker.unref(),
      ...life,
    }
  }
  over.throwIfAborted()
  const worker = new Worker(url, { type: 'module' })
  const life = endWith(worker)
  return {
    post: (message, transfer) => worker.postMessage(message, transfer ?? []),
    listen(onMessage, onError) {
      worker.addEventListener('message', (event) => onMessage(event.data))
      worker.addEventListener('error', (event) => onError(event.error ?? new Error(event.message || 'a worker could not be loaded')))
      worker.addEventListener('messageerror', () => onError(new Error('a message to a worker could not be read')))
    },
    hold() {},
    release() {},
    ...life,
  }
}

/**
 * Inside a worker: calls `onMessage` with each message of whoever started it. Returns how to answer. It must be called
 * before anything is awaited, since browsers keep no message for later.
 */
export function serve(onMessage) {
  if (!isNode) {
    self.addEventListener('message', (event) => onMessage(event.data))
    return (message) => self.postMessage(message)
  }
  let port
  import('node:worker_threads').then(({ parentPort }) => {
    port = parentPort
    port.on('message', onMessage)
  })
  return (message) => port.postMessage(message)
}

/** Calls `listener` with each message of a port. */
export function hear(port, listener) {
  port.onmessage = (event) => listener(event.data)
  // In node a port that is listened to keeps the worker alive; its parent ends it.
  port.unref?.()
}

/** Compiles the module at `url`. */
export async function compile(url) {
  if (url.protocol === 'file:') {
    const { readFile } = await import('node:fs/promises')
    return WebAssembly.compile(await readFile(url))
  }
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url}: status ${response.status}`)
  // Streaming needs the right type from the server; without it the bytes are read first.
  if (response.headers.get('content-type')?.startsWith('application/wasm')) return WebAssembly.compileStreaming(response)
  return WebAssembly.compile(await response.arrayBuffer())
}

/** The longest message that is taken, in bytes. Parties send 65,536 at most; something between the two may put messages together. */
export const LONGEST = 1 << 20

/** The WebSocket of this engine, or of the package `ws`. */
export async function webSocket() {
  if (globalThis.WebSocket) return globalThis.WebSocket
  try {
    const { WebSocket } = await import('ws')
    return class extends WebSocket {
      constructor(url) {
        super(url, { maxPayload: LONGEST, perMessageDeflate: false })
      }
    }
  } catch {
    throw Object.assign(new Error('node has a WebSocket from version 22 on; for older ones: npm install ws'), {
      name: 'UnsupportedError',
    })
  }
}
