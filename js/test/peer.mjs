// A native party, and a proxy in front of one that changes or cuts what passes.
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { connect as connectTls } from 'node:tls'

export const PEER = process.env.VOLERY_PEER
if (!PEER) throw new Error('VOLERY_PEER must name the example websocket_party; js/run sets it')

export const DIGEST = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'

/** The claim about a message with DIGEST, here and at a native party. */
export const preimage = (length = 3, digest = DIGEST) => ({ statement: 'sha256-preimage', values: { digest, length } })
export const peerPreimage = (length = 3, digest = DIGEST) => [
  '--statement',
  'sha256-preimage',
  `digest=${digest}`,
  `length=${length}`,
]

/** Starts `program`, waits until it says where it listens, and ends it with the test `t`. */
export async function start(t, program, ...args) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill())
  const lines = []
  const waiting = []
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      lines.push(line)
      for (const check of waiting.splice(0)) check()
    })
  }
  /** Waits for a line that matches. */
  const line = (pattern) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no line ${pattern} of ${JSON.stringify(lines)}`)), 60_000)
      const check = () => {
        const found = lines.find((line) => pattern.test(line))
        if (found === undefined) return waiting.push(check)
        clearTimeout(timer)
        resolve(found)
      }
      check()
    })
  const address = (await line(/^listening at /)).slice('listening at '.length)
  return { url: `ws://${address}/`, address, line, lines, child }
}

/** Starts a party with these arguments. */
export const startPeer = (t, ...args) => start(t, PEER, ...args)

/**
 * A proxy to `peer` that gives each chunk of bytes to `change(bytes, toPeer, sockets)`, which returns what goes on. To a peer with a
 * certificate, `ca`, it speaks TLS.
 */
export async function startProxy(t, peer, change = (bytes) => bytes) {
  const [host, port] = peer.address.split(':')
  const server = createServer((client) => {
    const target = { host, port: Number(port) }
    const upstream = peer.ca
      ? connectTls({ ...target, ca: peer.ca, servername: 'localhost', ALPNProtocols: ['http/1.1'] })
      : connect(target)
    const sockets = { client, upstream }
    const pass = (from, to, toPeer) => {
      from.on('data', (bytes) => {
        const changed = change(bytes, toPeer, sockets)
        if (changed) to.write(changed)
      })
      from.on('close', () => to.destroy())
      from.on('error', () => to.destroy())
    }
    pass(client, upstream, true)
    pass(upstream, client, false)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `ws://127.0.0.1:${server.address().port}/`
}

/** Files for a native party. */
export async function files(t, contents) {
  const folder = await mkdtemp(join(tmpdir(), 'volery-js-'))
  t.after(() => rm(folder, { recursive: true }))
  const paths = {}
  for (const [name, content] of Object.entries(contents)) {
    paths[name] = join(folder, name)
    await writeFile(paths[name], content)
  }
  return paths
}
