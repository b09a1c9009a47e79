// The program with its page, a browser, and a proxy between them that changes or cuts what passes.
import { spawn } from 'node:child_process'
import { createServer, connect } from 'node:net'
import { createInterface } from 'node:readline'

import { chromium } from 'playwright-core'

/** How long anything may take. */
export const TIME = 60_000

/** Starts `volery demo browser`. `lines` are what it prints, one for each proof. */
export async function startDemo(...args) {
  const child = spawn(process.env.VOLERY, ['demo', 'browser', '--listen', '127.0.0.1:0', ...args])
  const lines = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const address = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const found = /^listening at (.*)$/.exec(line)
      if (found) resolve(found[1])
    })
    child.on('exit', (code) => reject(new Error(`volery ended with code ${code}`)))
  })
  return { address, url: `http://${address}/`, lines, stop: () => child.kill() }
}

/** A port that nobody has. */
export async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A proxy at `port` to `address`. What the server answers first goes through `change(text)`; `cut()` ends all connections. */
export async function startProxy(port, address, change = (text) => text) {
  const [host, target] = address.split(':')
  const sockets = new Set()
  const server = createServer((client) => {
    const upstream = connect(Number(target), host)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    client.pipe(upstream)
    upstream.once('data', (bytes) => {
      client.write(Buffer.from(change(bytes.toString('latin1')), 'latin1'))
      upstream.pipe(client)
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${port}/`,
    cut,
    stop() {
      cut()
      server.close()
    },
  }
}

export function startBrowser(...flags) {
  // Without root's sandbox, which containers do not have.
  const args = ['--no-sandbox', '--disable-gpu', ...flags]
  return chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, args })
}

/** A page at `url`, in which `first` runs before anything else. It fails if the page reports an error that it did not expect. */
export async function openPage(browser, url, { first, ...options } = {}) {
  const context = await browser.newContext({ acceptDownloads: true, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(TIME)
  page.problems = []
  page.on('pageerror', (error) => page.problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') page.problems.push(message.text())
  })
  if (first) await page.addInitScript(first)
  await page.goto(url)
  return page
}

/** One section of the page. */
export const section = (page, name) => page.getByRole('region', { name })

/** Waits until a section's verdict matches. */
export async function verdict(place, pattern) {
  await place.locator('.verdict').filter({ hasText: pattern }).waitFor({ timeout: TIME })
  return place.locator('.panel').innerText()
}

/** Waits until `condition` holds. */
export async function until(condition, what) {
  const end = Date.now() + TIME
  while (!condition()) {
    if (Date.now() > end) throw new Error(`never: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
