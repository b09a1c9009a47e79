// The rings by themselves: two threads, sizes on either side of what fits, ends and aborts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

import { PartyEnd, SocketEnd, SuspendedEnd, makeRings } from '../ring.js'

const pattern = (length, seed) => Uint8Array.from({ length }, (_, i) => (i * 31 + seed * 97 + (i >> 8)) & 255)

test('bytes come out as they went in, around the end of the memory', () => {
  const buffer = makeRings({ size: 64 })
  let woken = 0
  const [party, socket] = [new PartyEnd(buffer, () => woken++), new SocketEnd(buffer)]
  assert.equal(party.read(new Uint8Array(8)), -1)
  for (let round = 0; round < 40; round++) {
    const bytes = pattern(50, round)
    assert.equal(party.write(bytes), 50)
    assert.equal(party.write(pattern(50, 1)), 14)
    assert.equal(party.write(bytes), -1)
    assert.equal(party.wait(2, 0), false)
    assert.deepEqual(socket.take(50), bytes)
    assert.equal(socket.take(100).length, 14)
    assert.equal(socket.take(100), null)
    assert.equal(socket.put(bytes), 50)
    const out = new Uint8Array(80)
    assert.equal(party.read(out), 50)
    assert.deepEqual(out.subarray(0, 50), bytes)
  }
  // It was woken whenever the socket had taken everything, and never besides.
  assert.equal(woken, 39)
  assert.equal(socket.put(pattern(100, 0)), 64)
  assert.equal(party.read(new Uint8Array(10)), 10)
  assert.equal(woken, 40)
})

test('the end comes after the bytes before it, and an abort at once', () => {
  const buffer = makeRings({ size: 64 })
  const [party, socket] = [new PartyEnd(buffer, () => {}), new SocketEnd(buffer)]
  socket.put(pattern(5, 0))
  socket.end()
  assert.equal(party.wait(1, 1000), true)
  assert.equal(party.read(new Uint8Array(64)), 5)
  assert.equal(party.read(new Uint8Array(64)), 0)
  assert.equal(party.write(pattern(5, 0)), 0)
  party.finish()
  assert.equal(socket.finished, true)
  party.abort()
  const calls = [() => party.read(new Uint8Array(1)), () => party.write(new Uint8Array(1)), () => party.wait(1, 1)]
  for (const call of calls) assert.throws(call, /aborted/)
})

/** Both ends in memory that no other thread has. */
function together() {
  const buffer = makeRings({ size: 64, shared: false })
  const party = new SuspendedEnd(buffer, () => {})
  return [party, new SocketEnd(buffer, party)]
}

test('a party that is suspended goes on when there is something for it, and not before', async () => {
  const [party, socket] = together()
  // It need not wait for what is there.
  assert.equal(party.wait(2, 1000), true)
  assert.equal(party.wait(1, 0), false)
  let done
  const reads = party.wait(1, 60_000).then((result) => (done = result))
  assert.equal(party.write(pattern(64, 0)), 64)
  // Room to write is nothing to read.
  assert.equal(socket.take(10).length, 10)
  await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal(done, undefined)
  socket.put(pattern(5, 1))
  assert.equal(await reads, true)
  assert.equal(party.wait(1, 60_000), true)
  const out = new Uint8Array(8)
  assert.equal(party.read(out), 5)
  assert.deepEqual(out.subarray(0, 5), pattern(5, 1))

  assert.equal(party.write(pattern(64, 0)), 10)
  const writes = party.wait(2, 60_000)
  socket.take(1)
  assert.equal(await writes, true)
  assert.equal(await party.wait(1, 5), false)
  const end = party.wait(1, 60_000)
  socket.end()
  assert.equal(await end, true)
  assert.equal(party.read(out), 0)
})

test('an abort ends the wait of a party that is suspended without an exception, and then its calls fail', async () => {
  const [party] = together()
  const wait = party.wait(1, 60_000)
  party.abort()
  assert.equal(await wait, true)
  assert.equal(party.wait(1, 60_000), true)
  assert.throws(() => party.read(new Uint8Array(1)), /aborted/)
  assert.throws(() => party.write(new Uint8Array(1)), /aborted/)
})

test('a thread that blocks gets everything from one that does not, and gives it back', async () => {
  const buffer = makeRings({ size: 1 << 10 })
  const code = `
    const { parentPort, workerData } = require('node:worker_threads')
    import(workerData.url).then(({ PartyEnd }) => {
      const party = new PartyEnd(workerData.buffer, () => parentPort.postMessage('wake'))
      const bytes = new Uint8Array(300)
      for (;;) {
        const count = party.read(bytes)
        if (count === 0) break
        if (count < 0) party.wait(1, 10000)
        for (let done = 0; done < count; ) {
          const written = party.write(bytes.subarray(done, count))
          if (written < 0) party.wait(2, 10000)
          else done += written
        }
      }
      party.finish()
    })`
  const url = new URL('../ring.js', import.meta.url).href
  const worker = new Worker(code, { eval: true, workerData: { buffer, url } })
  const socket = new SocketEnd(buffer)
  const all = pattern(100_000, 3)
  const got = []
  let put = 0
  await new Promise((resolve, reject) => {
    const pump = () => {
      put += socket.put(all.subarray(put, put + 777))
      for (let bytes; (bytes = socket.take(500)); ) got.push(bytes)
      const length = got.reduce((sum, bytes) => sum + bytes.length, 0)
      if (length === all.length) return resolve()
      if (put < all.length) setImmediate(pump)
    }
    worker.on('message', pump)
    worker.on('error', reject)
    pump()
  })
  socket.end()
  await new Promise((resolve) => worker.on('exit', resolve))
  assert.deepEqual(Buffer.concat(got), Buffer.from(all))
  assert.equal(socket.finished, true)
})
