// Workers with a module in them, which run tasks one after the other. One that has nothing to do waits for the next session.
import { ClaimError, SessionError, UnsupportedError, revived } from './errors.js'
import { startWorker } from './host.js'
import { compiledModule, moduleName } from './modules.js'
import { wireKind } from './wires.js'

/** How long an aborted party may take to tell its peer, in milliseconds, before its workers are ended. */
export const FAREWELL = 200

/** A worker that runs tasks one after the other and answers each. */
class Tasks {
  #leave = () => {}

  constructor(worker) {
    this.worker = worker
    this.pending = new Map()
    this.next = 0
    worker.listen(
      (message) => this.answer(message),
      (error) => this.fail(new SessionError(`a worker failed: ${error?.message ?? error}`)),
    )
  }

  /** From now on `over`, a signal, ends the worker, and its tasks fail with the reason; without one, nothing does. */
  endWith(over) {
    this.#leave()
    const end = () => {
      this.worker.end()
      this.fail(over.reason)
    }
    if (over?.aborted) return end()
    over?.addEventListener('abort', end, { once: true })
    this.#leave = () => over?.removeEventListener('abort', end)
  }

  answer({ task, progress, error, result }) {
    const pending = this.pending.get(task)
    if (!pending) return
    if (progress) return pending.onProgress?.(progress)
    this.settle(task)
    if (!error) return pending.resolve(result)
    // After a trap nobody knows what state the module is in, and after another error it is not worth a thought.
    this.spent = true
    pending.reject(revived(error))
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
      try {
        this.worker.post({ task, what, ...details }, transfer)
      } catch (error) {
        // A function, for example, goes to no worker.
        this.settle(task)
        reject(new ClaimError(error.message))
      }
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

/** What `promise` resolves to, unless `over` comes first: then it rejects with the reason. */
function unless(over, promise) {
  over.throwIfAborted()
  return new Promise((resolve, reject) => {
    const end = () => reject(over.reason)
    over.addEventListener('abort', end, { once: true })
    promise.then(resolve, reject).finally(() => over.removeEventListener('abort', end))
  })
}

/** How long a worker that has nothing to do waits for the next session, in milliseconds. */
const IDLE = 3_000

/** By module: a worker that waits for the next session. */
const idle = new Map()

/** A worker with a module in it, which `over`, a signal, ends unless it is given back before. */
export async function startParty(kind, over) {
  const name = moduleName(kind)
  over.throwIfAborted()
  const waiting = idle.get(name)
  if (waiting?.tasks.failed) waiting.end()
  else if (waiting) {
    idle.delete(name)
    clearTimeout(waiting.timer)
    waiting.tasks.endWith(over)
    return waiting.tasks
  }
  let module
  try {
    module = await unless(over, compiledModule(name))
  } catch (error) {
    over.throwIfAborted()
    throw new UnsupportedError(`the module ${name} could not be loaded: ${error.message}`)
  }
  const tasks = new Tasks(await startWorker(new URL('./party.js', import.meta.url), over))
  tasks.endWith(over)
  tasks.worker.outlive()
  tasks.module = name
  await tasks.run('load', { name, module, suspends: wireKind() === 'suspended' })
  return tasks
}

/**
 * Keeps a worker for the next session, which then needs no memory of its own: browsers collect that of ended workers late. It is ended if a
 * task has failed in it, if nobody takes it, or if another one is given back: that one's memory has grown as large as sessions need it.
 */
export function giveBack(tasks) {
  const { module, worker } = tasks
  // It may have something to do last.
  if (tasks.failed || tasks.spent) return void setTimeout(() => worker.end(), FAREWELL)
  idle.get(module)?.end()
  tasks.endWith(undefined)
  const end = () => {
    clearTimeout(timer)
    idle.delete(module)
    worker.end()
  }
  const timer = setTimeout(end, IDLE)
  // In node it keeps no program alive.
  timer.unref?.()
  idle.set(module, { tasks, timer, end })
}
