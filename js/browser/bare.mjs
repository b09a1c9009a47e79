// A page in a browser that nobody watches. Playwright has each page keep what it loads and what it is asked, some 30 MB with these
// modules, so memory is measured here: by the system, of a browser that is asked for values alone.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import WebSocket from 'ws'

/** The browser's own protocol: `call(method, params, session)`. */
async function connect(address) {
  const socket = new WebSocket(address, { perMessageDeflate: false })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const pending = new Map()
  let next = 0
  socket.on('message', (text) => {
    const { id, result, error } = JSON.parse(text)
    const waiting = pending.get(id)
    pending.delete(id)
    if (error) waiting?.reject(new Error(error.message))
    else waiting?.resolve(result)
  })
  return (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      const id = next++
      pending.set(id, { resolve, reject })
      socket.send(JSON.stringify({ id, method, params, sessionId }))
    })
}

/** Memory in MiB of the process that holds the page: all of it, and what it shares with no other process. */
async function memoryOf(call) {
  const { processInfo } = await call('SystemInfo.getProcessInfo')
  const figures = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => {
      const rollup = readFileSync(`/proc/${id}/smaps_rollup`, 'latin1')
      const of = (name) => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(rollup)?.[1] ?? 0) / 1024
      return { all: of('Rss'), own: of('Private_Clean') + of('Private_Dirty') }
    })
  return figures.reduce((most, figure) => (figure.own > most.own ? figure : most))
}

/** A browser with one page, at `url`. */
export async function startBare(url) {
  const folder = mkdtempSync(join(tmpdir(), 'volery-browser-'))
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--remote-debugging-port=0', `--user-data-dir=${folder}`]
  const child = spawn(process.env.CHROMIUM, [...flags, url], { stdio: ['ignore', 'ignore', 'pipe'] })
  const address = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const found = /^DevTools listening on (ws:.*)$/.exec(line)
      if (found) resolve(found[1])
    })
    child.on('exit', (code) => reject(new Error(`the browser ended with code ${code}`)))
  })
  const call = await connect(address)
  const { targetInfos } = await call('Target.getTargets')
  const page = targetInfos.find(({ type }) => type === 'page')
  const { sessionId } = await call('Target.attachToTarget', { targetId: page.targetId, flatten: true })

  /** What `work(...given)` resolves to, in the page. */
  async function evaluate(work, ...given) {
    const expression = `(${work})(...${JSON.stringify(given)})`
    const { result, exceptionDetails } = await call('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, sessionId)
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }

  // There is nothing to ask while it comes.
  const isThere = () => evaluate((url) => location.href === url && document.readyState === 'complete', url).catch(() => false)
  while (!(await isThere())) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    evaluate,
    memory: () => memoryOf(call),
    /** The most memory while `work` goes on, if it is taken ten times a second. */
    async most(work) {
      let over = false
      const done = work.finally(() => (over = true))
      let most = await memoryOf(call)
      while (!over) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        const now = await memoryOf(call)
        if (now.own > most.own) most = now
      }
      await done
      return most
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await ended
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** In the page: resolves when the element shows `text`, within a minute. */
export function shows(selector, text) {
  return new Promise((resolve, reject) => {
    const element = document.querySelector(selector)
    const look = () => {
      if (!element.textContent.includes(text)) return
      observer.disconnect()
      resolve(element.textContent)
    }
    setTimeout(() => reject(new Error(`${selector} never showed: ${text}`)), 60_000)
    const observer = new MutationObserver(look)
    observer.observe(element, { childList: true, characterData: true, subtree: true })
    look()
  })
}

/** In the page: chooses or types `value`, as a person does. */
export function enter(selector, value) {
  const element = document.querySelector(selector)
  element.value = value
  for (const name of ['input', 'change']) element.dispatchEvent(new Event(name, { bubbles: true }))
}
