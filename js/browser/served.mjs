// The package as `npm pack` gives it, in pages of somebody else's server.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'

import { openPage } from './parties.mjs'

const folder = process.env.VOLERY_PACKAGE_FILES
if (!folder) throw new Error('VOLERY_PACKAGE_FILES must name the folder that `npm pack` gives; js/browser/run sets it')

const TYPES = { '.js': 'text/javascript', '.html': 'text/html', '.wasm': 'application/wasm' }
const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }

/** The text of a file of the package. */
export const packaged = (path) => readFile(join(folder, path), 'utf8')

/** A server of `pages`, texts by path, and of the package's folder under /volery/. Its pages are isolated unless `isolated` says no. */
export async function serve(t, pages, { isolated = true } = {}) {
  const server = createServer(async ({ url }, answer) => {
    const path = normalize(decodeURIComponent(url))
    let body = pages[path]
    try {
      if (path.startsWith('/volery/')) body = await readFile(join(folder, path.slice('/volery/'.length)))
    } catch {}
    answer.writeHead(body === undefined ? 404 : 200, {
      'Content-Type': TYPES[extname(path) || '.html'] ?? 'text/plain',
      ...(isolated ? ISOLATED : {}),
    })
    answer.end(body)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${server.address().port}/`
}

/** A blank page of a server with the package. */
export async function blank(t, browser, options) {
  const url = await serve(t, { '/': '<!doctype html><link rel="icon" href="data:,"><title>Empty</title>' }, options)
  const page = await openPage(browser, url)
  t.after(() => page.context().close())
  return page
}
