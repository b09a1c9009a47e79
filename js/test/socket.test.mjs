// The socket's worker by itself: what a peer may send, and how much of it may wait while nobody reads.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'

import { WebSocketServer } from 'ws'

import { LONGEST, startWorker } from '../host.js'
import { PartyEnd, makeRings } from '../ring.js'

const RING = 1 << 10
const BACKLOG = 64 << 20

/** Starts the worker with a peer that does `behave(socket)`. Returns the party's end and a promise of why the connection ended. */
async function connected(t, behave, module = '../socket.js') {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await new Promise((resolve) => server.on('listening', resolve))
  const over = new AbortController()
  t.after(() => {
    over.abort()
    for (const client of server.clients) client.terminate()
    server.close()
  })
  server.on('connection', (socket) => {
    socket.on('error', () => {})
    behave(socket)
  })
  const worker = await startWorker(new URL(module, import.meta.url), over.signal)
  const ended = new Promise((resolve, reject) => worker.listen((message) => message.closed && resolve(message), reject))
  const buffer = makeRings({ size: RING })
  const { port1, port2 } = new MessageChannel()
  t.after(() => port2.close())
  worker.hold()
  worker.post({ url: `ws://127.0.0.1:${server.address().port}/`, buffer, wake: port1 }, [port1])
  return { party: new PartyEnd(buffer, () => port2.postMessage(0)), ended }
}

/** Sends these messages as they are taken. */
function sendAll(socket, messages) {
  const next = () => {
    const { done, value } = messages.next()
    if (done) return socket.close(1000)
    if (socket.readyState === socket.OPEN) socket.send(value, next)
  }
  next()
}

/** What the party reads until the end, in bytes. */
async function readAll(party) {
  let total = 0
  const out = new Uint8Array(RING)
  for (;;) {
    const count = party.read(out)
    if (count === 0) return total
    if (count > 0) total += count
    else await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

const many = function* (count, size) {
  const bytes = new Uint8Array(size)
  for (let i = 0; i < count; i++) yield bytes
}

test('text ends the connection', async (t) => {
  const { ended } = await connected(t, (socket) => socket.send('hello'))
  assert.match((await ended).error.message, /text/)
})

test('a message is as long as it may be, and no longer', async (t) => {
  const fits = await connected(t, (socket) => sendAll(socket, many(1, LONGEST)))
  assert.equal(await readAll(fits.party), LONGEST)
  assert.equal((await fits.ended).code, 1000)

  const tooLong = (socket) => sendAll(socket, many(1, LONGEST + 1))
  const engine = await connected(t, tooLong, './engine.mjs')
  assert.match((await engine.ended).error.message, /sent 1048577 bytes in one message/)
  // The package `ws` refuses it before it has read it.
  const { ended } = await connected(t, tooLong)
  assert.match((await ended).reason, /Max payload size exceeded/)
})

test('what nobody reads waits, up to a bound in bytes', async (t) => {
  const size = 1 << 16
  const fits = await connected(t, (socket) => sendAll(socket, many(BACKLOG / size, size)))
  assert.equal((await fits.ended).code, 1000)

  // The ring has taken some of it.
  const { ended } = await connected(t, (socket) => sendAll(socket, many(BACKLOG / size + 1, size)))
  assert.match((await ended).error.message, /no room for more/)
})

test('what nobody reads waits, up to a bound in messages', async (t) => {
  const { ended } = await connected(t, (socket) => sendAll(socket, many(RING + (1 << 16) + 1, 1)))
  assert.match((await ended).error.message, /no room for more/)
})
