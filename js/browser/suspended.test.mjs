// Sessions in pages that are not isolated: the engine suspends the party while it waits, and its worker has the socket.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'

import { WebSocketServer } from 'ws'

import { startNotary } from '../test/notary.mjs'
import { files, peerPreimage, preimage, startPeer } from '../test/peer.mjs'
import { startBrowser, until } from './parties.mjs'
import { blank } from './served.mjs'

let browser
before(async () => {
  browser = await startBrowser()
})
after(() => browser?.close())

/** A page that is not isolated, which must report no problem. `started` are its workers' files. */
async function open(t) {
  const page = await blank(t, browser, { isolated: false })
  t.after(() => assert.deepEqual(page.problems, []))
  page.started = []
  page.on('worker', (worker) => page.started.push(worker.url().split('/').pop()))
  assert.deepEqual(await page.evaluate(() => [globalThis.crossOriginIsolated, typeof SharedArrayBuffer]), [false, 'undefined'])
  return page
}

/** What `work(volery, given)` makes in the page, or the error it ends with, as text. */
const inPage = (page, work, given) =>
  page.evaluate(
    async ([work, given]) => {
      const volery = await import('/volery/index.js')
      try {
        return await (0, eval)(`(${work})`)(volery, given)
      } catch (error) {
        return `${error.name}: ${error.message}${error.cause ? ` (${error.cause.message})` : ''}`
      }
    },
    [String(work), given],
  )

const proveIn = (page, given) => inPage(page, (volery, { url, claim, witness }) => volery.prove(url, claim, witness), given)

/** A long message with its claims. */
function long(length = 1 << 13) {
  const digest = createHash('sha256').update('a'.repeat(length)).digest('hex')
  return { claim: preimage(length, digest), peer: peerPreimage(length, digest), witness: `0x${'61'.repeat(length)}` }
}

/** A peer of the claim about three bytes, and what the page needs for it. */
async function short(t) {
  const peer = await startPeer(t, 'verify', ...peerPreimage())
  return [peer, { url: peer.url, claim: preimage(), witness: '0x616263' }]
}

test('a long message is proved, with progress, by a worker that has the socket', async (t) => {
  const { claim, peer: peerClaim, witness } = long()
  const peer = await startPeer(t, 'verify', ...peerClaim)
  const page = await open(t)
  const [report, seen, total] = await inPage(
    page,
    async (volery, { url, claim, witness }) => {
      const seen = []
      const session = await volery.open(url, claim)
      const report = await session.prove(witness, { onProgress: (progress) => seen.push(progress) })
      session.close()
      return [report, seen, session.total]
    },
    { url: peer.url, claim, witness },
  )
  assert.ok(report.soundness > 100 && report.multiplications > 2_000_000 && report.bytesSent > 0, JSON.stringify(report))
  assert.deepEqual(seen.at(-1), { done: total, total })
  assert.ok(seen.length > 2)
  await peer.line(/^accepted: proof 1$/)
  await peer.line(/^left after 1 proofs$/)
  assert.deepEqual(page.started, ['party.js'])
})

test('a native prover is verified', async (t) => {
  const { claim, peer: peerClaim, witness } = long()
  const paths = await files(t, { witness: `${witness}\n` })
  const peer = await startPeer(t, 'prove', paths.witness, ...peerClaim)
  const report = await inPage(await open(t), (volery, { url, claim }) => volery.verify(url, claim), { url: peer.url, claim })
  assert.ok(report.soundness > 100, JSON.stringify(report))
  await peer.line(/^accepted: proof 1$/)
})

test('a page of a website is proved to a notary', async (t) => {
  const { wanted, key, ended } = await startNotary(t)
  const page = await open(t)
  const wishes = { ...wanted, roots: String(wanted.roots), reveal: ['response.json:currency'], assert: ['response.json:balance in 5000..'] }
  const proveIt = async (volery, { wishes, key }) => {
    const phases = []
    const { attestation } = await volery.web.prove(wishes, { onProgress: ({ phase }) => phases.push(phase) })
    return [phases.at(-1), (await volery.attestation.verify(attestation, { key })).summary[0]]
  }
  for (const round of [1, 2]) {
    const told = await inPage(page, proveIt, { wishes, key })
    assert.equal(told[0], 'waiting for the attestation', `round ${round}: ${told}`)
    assert.match(told[1], /balance is at least 5000/)
  }
  await ended('accepted')
  // What is wrong is named before anything is sent, and what is not true is found later.
  const failure = (more) => inPage(page, (volery, wishes) => volery.web.prove(wishes).then(() => 'proved'), { ...wishes, ...more })
  assert.match(await failure({ hide: ['request.header:Cookie', 'request.method'] }), /^ClaimError: /)
  assert.match(await failure({ assert: ['response.json:balance in 6000..'] }), /^WitnessError: /)
})

test('sessions after each other are in one worker, and know nothing of each other', async (t) => {
  const [peer, given] = await short(t)
  const page = await open(t)
  const other = await startPeer(t, 'verify', ...peerPreimage(4))
  const thrice = await inPage(
    page,
    async (volery, { url, claim, witness }) => {
      const reports = []
      // The socket of one session is still closing when the next one begins.
      for (let count = 0; count < 3; count++) reports.push(await volery.prove(url, claim, witness))
      return reports
    },
    given,
  )
  assert.equal(thrice.length, 3, thrice)
  const left = () => peer.lines.filter((line) => line === 'left after 1 proofs').length
  await until(() => left() === 3, 'all sessions end')
  assert.deepEqual(page.started, ['party.js'])
  // Of one that failed the next one does not take the worker.
  assert.match(await proveIn(page, { ...given, url: other.url }), /^MismatchError: /)
  assert.ok((await proveIn(page, given)).soundness > 100)
  assert.deepEqual(page.started, ['party.js', 'party.js'])
})

test('what is asked for at once is done one after the other', async (t) => {
  const [peer, given] = await short(t)
  const reports = await inPage(
    await open(t),
    async (volery, { url, claim, witness }) => {
      const session = await volery.open(url, claim)
      const reports = await Promise.all([1, 2, 3].map(() => session.prove(witness)))
      session.close()
      return reports
    },
    given,
  )
  assert.equal(reports.length, 3, reports)
  for (const { soundness } of reports) assert.ok(soundness > 100)
  await peer.line(/^left after 3 proofs$/)
})

test('a wrong witness is refused before anything is sent, and the session goes on', async (t) => {
  const [peer, given] = await short(t)
  const told = await inPage(
    await open(t),
    async (volery, { url, claim, witness }) => {
      const session = await volery.open(url, claim)
      const names = []
      for (const wrong of ['0x616264', '0x6162']) names.push(await session.prove(wrong).catch((error) => error.name))
      const { soundness } = await session.prove(witness)
      session.close()
      return [...names, soundness > 100]
    },
    given,
  )
  assert.deepEqual(told, ['WitnessError', 'ClaimError', true])
  await peer.line(/^left after 1 proofs$/)
})

/** In the page: a proof that is given up when it has come so far. */
const givenUp = async (volery, { url, claim, witness, after }) => {
  const controller = new AbortController()
  const session = await volery.open(url, claim)
  let progress = 0
  const onProgress = () => ++progress === after && controller.abort(new Error('enough'))
  const error = await session.prove(witness, { signal: controller.signal, onProgress }).catch((error) => error.message)
  return [error, await session.prove(witness).catch((error) => error.name)]
}

test('an abort ends a proof at once, and the peer is told', async (t) => {
  const { claim, peer: peerClaim, witness } = long()
  const peer = await startPeer(t, 'verify', ...peerClaim)
  const page = await open(t)
  assert.deepEqual(await inPage(page, givenUp, { url: peer.url, claim, witness, after: 2 }), ['enough', 'SessionError'])
  await peer.line(/^ended: /)
  await until(() => page.workers().length === 0, 'its worker ends')
})

test('a peer that leaves in the middle ends the proof', async (t) => {
  const { claim, peer: peerClaim, witness } = long()
  const peer = await startPeer(t, 'verify', ...peerClaim)
  const page = await open(t)
  await page.exposeFunction('kill', () => peer.child.kill('SIGKILL'))
  const message = await inPage(
    page,
    async (volery, { url, claim, witness }) => {
      const session = await volery.open(url, claim)
      let killed
      return session.prove(witness, { onProgress: () => (killed ??= window.kill()) })
    },
    { url: peer.url, claim, witness },
  )
  assert.match(message, /^SessionError: .*closed.*\(the connection to ws:.* is closed \(code 1006/)
})

/** A server of WebSockets that does this with each. */
async function startServer(t, behave) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await new Promise((resolve) => server.on('listening', resolve))
  server.on('connection', behave)
  t.after(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  return `ws://127.0.0.1:${server.address().port}/`
}

test('an abort ends a party that waits, which closes the connection as any other end does', async (t) => {
  const page = await open(t)
  let [greeted, closed] = []
  const greeting = new Promise((resolve) => (greeted = resolve))
  const code = new Promise((resolve) => (closed = resolve))
  const url = await startServer(t, (socket) => socket.on('message', greeted).on('close', closed))
  const opening = inPage(
    page,
    (volery, { url, claim }) => {
      window.controller = new AbortController()
      return volery.open(url, claim, { signal: window.controller.signal })
    },
    { url, claim: preimage() },
  )
  await greeting
  await page.evaluate(() => window.controller.abort(new Error('enough')))
  assert.equal(await opening, 'Error: enough')
  // Without its destructors the party would close nothing, and the worker's end would, with another code.
  assert.equal(await code, 1000)
  await until(() => page.workers().length === 0, 'its worker ends')
})

test('whatever ends a connection is named', async (t) => {
  const page = await open(t)
  const failure = async (url) => proveIn(page, { url, claim: preimage(), witness: '0x616263' })
  assert.match(await failure('ws://127.0.0.1:9/'), /^SessionError: the connection to ws:\/\/127\.0\.0\.1:9\/ is closed \(code 1006\)/)
  page.problems.length = 0
  const busy = await startServer(t, (socket) => socket.close(4_000, 'no place'))
  assert.match(await failure(busy), /^SessionError: .*closed.*\(code 4000: no place\)/)
  const text = await startServer(t, (socket) => socket.send('hello'))
  assert.match(await failure(text), /^SessionError: .*the peer sent text, which no party sends/)
  const long = await startServer(t, (socket) => socket.send(new Uint8Array((1 << 20) + 1)))
  assert.match(await failure(long), /^SessionError: .*the peer sent 1048577 bytes in one message/)
})

test('a peer that says nothing is waited for as long as was asked, and no longer', async (t) => {
  const page = await open(t)
  const url = await startServer(t, () => {})
  const message = await inPage(
    page,
    (volery, { url, claim }) => volery.open(url, claim, { timeout: 0.3 }),
    { url, claim: preimage() },
  )
  assert.match(message, /^SessionError: .*(timed out|time)/)
})

test('an engine without Promise Integration is told of the headers, and of engines that need none', async (t) => {
  const page = await open(t)
  const told = await inPage(page, async (volery) => {
    delete WebAssembly.Suspending
    const wanted = { notary: 'wss://notary.example/', notaryKey: '00'.repeat(32), url: 'https://localhost/' }
    const calls = [
      () => volery.open('ws://127.0.0.1:9/', { statement: 'sha256-preimage' }),
      () => volery.web.prove(wanted),
    ]
    const errors = []
    for (const call of calls) errors.push(await call().catch(({ name, message }) => `${name}: ${message}`))
    const values = { length: 3, digest: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' }
    await volery.check({ statement: 'sha256-preimage', values }, '0x616263')
    return errors
  })
  for (const error of told) {
    assert.match(error, /^UnsupportedError: /)
    for (const words of ['Cross-Origin-Opener-Policy: same-origin', 'Cross-Origin-Embedder-Policy: require-corp', 'JSPI']) {
      assert.ok(error.includes(words), error)
    }
  }
})

test('public proofs are made and checked in a page that is not isolated', async (t) => {
  const { soundness } = await inPage(
    await open(t),
    async (volery, claim) => volery.verifyProof(claim, await volery.makeProof(claim, '0x616263')),
    preimage(),
  )
  assert.ok(soundness >= 128)
})

/** (module (import "m" "__wbg_wait_0" (func (param externref i32 f64) (result i32))) (func (export "party_setUp") unreachable)) */
const TRAP = [
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 11, 2, 96, 3, 111, 127, 124, 1, 127, 96, 0, 0],
  ...[2, 18, 1, 1, 109, 12, 95, 95, 119, 98, 103, 95, 119, 97, 105, 116, 95, 48, 0, 0, 3, 2, 1, 1],
  ...[7, 15, 1, 11, 112, 97, 114, 116, 121, 95, 115, 101, 116, 85, 112, 0, 1, 10, 5, 1, 3, 0, 0, 11],
]

test('a trap reaches whoever waits for the call', async (t) => {
  const page = await open(t)
  const message = await page.evaluate(async (bytes) => {
    const { instantiate, waitedFor } = await import('/volery/instance.js')
    let exports
    const glue = { getImports: () => ({ m: { __wbg_wait_0: () => 1 } }), finishInit: (instance) => ({ exports } = instance) }
    instantiate(glue, new WebAssembly.Module(new Uint8Array(bytes)), true)
    return waitedFor(() => exports.party_setUp()).then(() => 'none', ({ name }) => name)
  }, TRAP)
  assert.equal(message, 'RuntimeError')
})
