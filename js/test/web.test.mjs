// What a website said, proved by a worker of this process to a native notary that carries the connection.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'

import * as volery from '../index.js'
import { forge, forger } from './forged.mjs'
import { folder, startNotary, volery as program } from './notary.mjs'
import { startProxy } from './peer.mjs'

/** How a promise was rejected. */
async function failure(promise) {
  try {
    await promise
  } catch (error) {
    return error
  }
  assert.fail('it should have failed')
}

/** What `web.prove` needs, with a notary that nobody runs. */
const NOWHERE = { notary: 'ws://127.0.0.1:9/', notaryKey: '00'.repeat(32), url: 'https://localhost/' }

test('what is revealed, claimed and hidden of a page is attested, here and by the program', async (t) => {
  const { wanted, key, port, ended } = await startNotary(t)
  const phases = []
  const page = { ...wanted, reveal: ['response.json:currency'], assert: ['response.json:balance in 5000..'], context: 'nonce-42' }
  const proved = await volery.web.prove(page, { onProgress: ({ phase }) => phases.push(phase) })
  await ended('accepted')
  assert.ok(phases.includes('preparing the connection') && phases.at(-1) === 'waiting for the attestation', String(phases))
  assert.ok(Buffer.from(proved.response).includes('"balance": 5120'))
  for (const secret of ['5120', 'session=demo', 'Ada']) assert.ok(!Buffer.from(proved.attestation).includes(secret), secret)
  assert.equal(proved.openings, undefined)

  const told = await volery.attestation.verify(proved.attestation, { key, context: 'nonce-42' })
  assert.deepEqual([told.trusted, told.signer, told.warnings], [true, key, []])
  assert.match(told.summary[0], /currency = "EUR", balance is at least 5000 \(hidden\)/)
  const { response, query } = told.attestation
  assert.deepEqual(response.hidden.map(({ part, claims }) => [part, claims.map(({ words }) => words)]), [
    // Neighbours are hidden together, so that nobody sees how long each of them is.
    ['json holder: <...>, "account": <...>', []],
    ['json balance', ['is a number of at least 5000']],
  ])
  assert.deepEqual(query.hidden.map(({ part }) => part), ['header Cookie'])
  assert.match(response.revealed.map(({ text }) => text).join('…'), /"currency": "EUR"/)

  const file = folder(t)('page.attestation')
  writeFileSync(file, proved.attestation)
  const native = JSON.parse(program(['attestation', 'verify', file, '--key', key, '--context', 'nonce-42', '--json']))
  assert.equal(native.result, 'accepted')
  assert.deepEqual([native.attestation, native.warnings], [told.attestation, []])
  assert.deepEqual([native.attestation.server_name, native.attestation.port], ['localhost', Number(port)])
})

test('an empty list of what is revealed shows nothing that is not claimed, and none shows everything', async (t) => {
  const { wanted, key } = await startNotary(t)
  const shown = async (wishes) => {
    const { attestation } = await volery.web.prove({ ...wanted, ...wishes })
    const { response } = (await volery.attestation.verify(attestation, { key })).attestation
    return response.revealed.map(({ text }) => text).join('…')
  }
  const none = await shown({ reveal: [], assert: ['response.json:balance in 5000..'] })
  assert.match(none, /"balance": /)
  for (const secret of ['EUR', 'Ada', '4029', '5120']) assert.ok(!none.includes(secret), secret)
  for (const all of [{}, { reveal: undefined }, { reveal: null }]) assert.match(await shown(all), /Ada[^]*4029[^]*EUR[^]*5120/)
})

test('what a reader has to decide is told, whoever looks', async (t) => {
  const { wanted, key } = await startNotary(t)
  const file = folder(t)
  const warnings = async (wishes, demands = {}, options = []) => {
    const { attestation } = await volery.web.prove({ ...wanted, ...wishes })
    const verified = await volery.attestation.verify(attestation, { key, ...demands })
    const shown = await volery.attestation.show(attestation)
    writeFileSync(file('page'), attestation)
    const native = JSON.parse(program(['attestation', 'verify', file('page'), '--key', key, '--json', ...options]).split('\n')[0])
    assert.deepEqual(verified.warnings, shown.warnings)
    assert.deepEqual(verified.warnings, native.warnings)
    return verified.warnings
  }
  const query = await warnings({ url: `${wanted.url}?columns=all` })
  assert.equal(query.length, 1)
  assert.match(query[0], /^request 1 hides its query or body/)
  const path = await warnings({ hide: ['request.path'] }, { allowHiddenPath: true }, ['--allow-hidden-path'])
  assert.deepEqual(path, ['the path of request 1 is hidden, so the attestation does not say which document it is about'])
  const field = await warnings({ headers: { 'X-Original-URL': '/other' }, reveal: ['request.header:X-Original-URL'], hide: ['response.body'] })
  assert.equal(field.length, 1)
  assert.match(field[0], /header field X-Original-URL/)
})

test('without a key an attestation is shown, and nobody is said to be trusted', async (t) => {
  const { wanted, key } = await startNotary(t)
  const { attestation } = await volery.web.prove({ ...wanted, reveal: ['response.json:currency'], context: 'nonce-42' })
  const { trusted, signer, summary } = await volery.attestation.show(attestation)
  assert.deepEqual([trusted, signer], [false, key])
  assert.match(summary[0], /currency = "EUR"/)
  const forged = await volery.attestation.show(forge(attestation, ['EUR', 'USD']))
  assert.deepEqual([forged.trusted, forged.signer], [false, forger])
  assert.match(forged.summary[0], /currency = "USD"/)
  assert.ok((await failure(volery.attestation.verify(forge(attestation), { key }))) instanceof volery.RejectedError)
  assert.equal((await volery.attestation.verify(forge(attestation), { key: forger })).trusted, true)
  const changed = Uint8Array.from(attestation)
  changed[Buffer.from(attestation).indexOf('EUR')] ^= 1
  assert.ok((await failure(volery.attestation.show(changed))) instanceof volery.RejectedError)
  // What a reader demands is compared with a key, or not at all.
  for (const demands of [{ key }, { context: 'nonce-42' }, { openings: [] }]) {
    assert.ok((await failure(volery.attestation.show(attestation, demands))) instanceof volery.ClaimError)
  }
  assert.ok((await failure(volery.attestation.show('no attestation'))) instanceof volery.ClaimError)
})

test('an attestation that is changed, or by somebody else, or for something else, is refused', async (t) => {
  const { wanted, key } = await startNotary(t)
  const { attestation } = await volery.web.prove({ ...wanted, reveal: ['response.json:currency'], context: 'nonce-42' })
  await volery.attestation.verify(attestation, { key })
  for (let part = 0; part <= 16; part++) {
    const at = Math.floor(((attestation.length - 1) * part) / 16)
    const changed = Uint8Array.from(attestation)
    changed[at] ^= 1
    const error = await failure(volery.attestation.verify(changed, { key }))
    assert.ok(error instanceof volery.VoleryError, `byte ${at}: ${error}`)
  }
  const inText = Uint8Array.from(attestation)
  inText[Buffer.from(attestation).indexOf('EUR')] ^= 1
  assert.ok((await failure(volery.attestation.verify(inText, { key }))) instanceof volery.RejectedError)
  const short = attestation.subarray(0, attestation.length - 1)
  assert.ok((await failure(volery.attestation.verify(short, { key }))) instanceof volery.VoleryError)

  // Nobody is believed whose key was not asked for.
  for (const demands of [undefined, {}, { key: undefined }, { key: null }]) {
    assert.ok((await failure(volery.attestation.verify(attestation, demands))) instanceof volery.ClaimError)
  }
  const stranger = JSON.parse(program(['notary', 'key', folder(t)('other.key'), '--json'])).public_key
  assert.ok((await failure(volery.attestation.verify(attestation, { key: stranger }))) instanceof volery.RejectedError)
  const elsewhere = await failure(volery.attestation.verify(attestation, { key, context: 'nonce-43' }))
  assert.match(elsewhere.message, /not for the context/)
})

test('committed parts are opened later, and a number is proved to lie in a range, which the program verifies', async (t) => {
  const { wanted, key } = await startNotary(t)
  const page = { ...wanted, commit: ['response.json:balance', 'response.json:account'] }
  const { attestation, openings } = await volery.web.prove(page)
  const opened = await volery.attestation.open(attestation, openings, ['response.json:account'])
  const range = await volery.attestation.proveRange(attestation, openings, 'response.json:balance in 5000..9999')
  const told = await volery.attestation.verify(attestation, { key, openings: [opened], ranges: [range] })
  assert.deepEqual(told.opened.map(({ bytes }) => Buffer.from(bytes, 'hex').toString()), ['4029-7714'])
  assert.deepEqual(told.inRange.map(({ least, greatest }) => [least, greatest]), [['5000', '9999']])

  const file = folder(t)
  const files = { 'page.attestation': attestation, opened, range }
  for (const [name, bytes] of Object.entries(files)) writeFileSync(file(name), bytes)
  const verify = ['attestation', 'verify', file('page.attestation'), '--key', key, '--json']
  const native = JSON.parse(program([...verify, '--opening', file('opened'), '--range', file('range')]))
  assert.equal(native.opened.length, 1)
  assert.equal(native.in_range.length, 1)
  assert.match(JSON.stringify(native), /4029-7714/)

  // A proof of one range, of one attestation, is one of no other.
  const bent = Uint8Array.from(range)
  bent[bent.length >> 1] ^= 1
  assert.ok((await failure(volery.attestation.verify(attestation, { key, ranges: [bent] }))) instanceof volery.VoleryError)
  writeFileSync(file('range'), bent)
  program([...verify, '--range', file('range')], 1)
  const again = await volery.web.prove(page)
  assert.ok((await failure(volery.attestation.verify(again.attestation, { key, ranges: [range] }))) instanceof volery.VoleryError)
  assert.ok((await failure(volery.attestation.verify(again.attestation, { key, openings: [opened] }))) instanceof volery.VoleryError)

  const beyond = await failure(volery.attestation.proveRange(attestation, openings, 'response.json:balance in 6000..'))
  assert.ok(beyond instanceof volery.WitnessError, String(beyond))
  const none = await failure(volery.attestation.open(attestation, openings, ['response.json:holder']))
  assert.ok(none instanceof volery.ClaimError, String(none))
  for (const wrong of [
    () => volery.attestation.proveRange(attestation, openings, 'response.json:balance'),
    () => volery.attestation.proveRange(attestation, openings, 'response.json:balance in 9..5'),
    () => volery.attestation.proveRange(attestation, openings, 7n),
    () => volery.attestation.proveRange(attestation, opened, 'response.json:balance in 5000..'),
    () => volery.attestation.proveRange(openings, attestation, 'response.json:balance in 5000..'),
    () => volery.attestation.open(attestation, openings, 'response.json:account'),
    () => volery.attestation.open(attestation, openings, ['response']),
    () => volery.attestation.open(attestation, new Uint8Array(1 << 20), ['response.json:account']),
    () => volery.attestation.verify(attestation, { key: 'xyz' }),
    () => volery.attestation.verify(attestation, { key: 'ab' }),
    () => volery.attestation.verify(attestation, { keys: key }),
    () => volery.attestation.verify(attestation, { openings: opened }),
    () => volery.attestation.verify(attestation, { allowHiddenPath: 'no', key }),
    () => volery.attestation.verify(attestation, { maxRounds: -1, key }),
    () => volery.attestation.verify(undefined, { key }),
    () => volery.attestation.verify(new Uint8Array(64 << 20), { key }),
    () => volery.attestation.verify(new Uint8Array(0), { key }),
  ]) {
    const error = await wrong().then(() => 'it should have failed', (error) => error)
    assert.ok(error instanceof volery.ClaimError, `${wrong}: ${error}`)
  }
})

test('everything is committed to, and either version of TLS is spoken', async (t) => {
  const { wanted, key } = await startNotary(t)
  for (const tls of ['1.2', '1.3']) {
    const { attestation, leaves } = await volery.web.prove({ ...wanted, tls, commitAll: true })
    assert.ok(leaves.length > 0)
    assert.equal((await volery.attestation.verify(attestation, { key })).attestation.tls, tls)
  }
})

test('what is not true, not there or not allowed is refused', async (t) => {
  const { wanted } = await startNotary(t)
  const lie = await failure(volery.web.prove({ ...wanted, assert: ['response.json:balance in 6000..'] }))
  assert.ok(lie instanceof volery.WitnessError, String(lie))
  const missing = await failure(volery.web.prove({ ...wanted, hide: ['response.json:street'] }))
  assert.ok(missing instanceof volery.ClaimError, String(missing))
  const port = await failure(volery.web.prove({ ...wanted, url: 'https://localhost:1/' }))
  assert.match(port.message, /does not connect to this port/)
  const untrusted = await failure(volery.web.prove({ ...wanted, roots: undefined }))
  assert.match(untrusted.message, /cannot be trusted/)
  const long = await failure(volery.web.prove({ ...wanted, method: 'POST', body: new Uint8Array(1 << 20) }))
  assert.match(long.message, /longer than the \d+ bytes that the notary takes/)
  const patient = await failure(volery.web.prove({ ...wanted, timeout: 1000 }))
  assert.match(patient.message, /waits at most/)
  // Whoever has this notary's place signs with another key.
  const impostor = await failure(volery.web.prove({ ...wanted, notaryKey: '11'.repeat(32) }))
  assert.match(impostor.message, /key/)
  assert.ok(impostor instanceof volery.VoleryError)
})

test('a notary connects to no website that its operator does not allow, and to none without --relay', async (t) => {
  const local = await startNotary(t, '--relay', '--port', '1')
  const elsewhere = await failure(volery.web.prove(local.wanted))
  assert.match(elsewhere.message, /does not connect to this port/)
  const without = await startNotary(t, '--allow-private')
  assert.match((await failure(volery.web.prove(without.wanted))).message, /carries no connections to websites/)
})

test('a notary of the open internet carries into no private network, and asks for a token', async (t) => {
  const tokens = folder(t)('tokens')
  writeFileSync(tokens, 'a-token-of-the-tests\n')
  const { wanted } = await startNotary(t, '--relay', '--port', '443', '--tokens', tokens)
  const page = { ...wanted, url: 'https://localhost/', token: readFileSync(tokens, 'utf8').trim() }
  assert.match((await failure(volery.web.prove(page))).message, /private, local or reserved networks/)
  assert.match((await failure(volery.web.prove({ ...page, token: 'another' }))).message, /needs a token/)
})

test('wishes that make no sense are named before anything is sent', async () => {
  for (const wrong of [
    { url: 'http://localhost/' },
    { url: 'https://localhost:99999/' },
    { url: 'https://' },
    { url: undefined },
    { url: Symbol('url') },
    { url: `https://localhost/${'a'.repeat(1 << 20)}\r\n` },
    { notary: 'https://localhost/' },
    { notary: undefined },
    { notaryKey: 'abcd' },
    { notaryKey: 'no digits' },
    { notaryKey: new Uint8Array(33) },
    { notaryKey: undefined },
    { notaryKey: 7 },
    { hide: ['response.xml:a'] },
    { hide: 'response.body' },
    { hide: [{}] },
    { assert: ['response.json:balance'] },
    { commit: ['cookie'] },
    { hid: ['response.body'] },
    { tls: '1.1' },
    { expect: 1.5 },
    { expect: -1 },
    { timeout: NaN },
    { timeout: '5' },
    { commitAll: 'no' },
    { method: 'GET\r\nX: y' },
    { headers: ['Cookie'] },
    { headers: { Cookie: 'a\r\nX: y' } },
    { headers: 'Cookie: a' },
    { headers: { Cookie: {} } },
    { headers: { Host: 'elsewhere' } },
    { roots: 'no certificate' },
    { context: new Uint8Array(1 << 20) },
    { token: {} },
    { showRest: () => true },
    { reveal: 'response.body' },
    { reveal: [''] },
    { reveal: ['response.json:a'], hide: ['response.json:a'] },
    // What the request that would be sent shows.
    { hide: ['request.header:Cookie'] },
    { reveal: ['request.query'] },
    { commit: ['request.json:a'] },
    { assert: ['request.query.id = 7'] },
    { assert: ['response2.json:a = 7'] },
    { hide: ['response.header:Content-Length'] },
    { headers: { 'X-Odd': '1' } },
    { method: 'DELETE', body: 'x' },
    { notary: 'ws://notary.example/' },
    { notary: 'ws://127.0.0.1.example/' },
    { notary: 'http://127.0.0.1/' },
  ]) {
    const error = await failure(volery.web.prove({ ...NOWHERE, ...wrong }))
    assert.ok(error instanceof volery.ClaimError, `${Object.keys(wrong)}: ${error}`)
  }
  const lie = await failure(volery.web.prove({ ...NOWHERE, headers: { Cookie: 'a=b' }, assert: ['request.header:Cookie = a=c'] }))
  assert.ok(lie instanceof volery.WitnessError, String(lie))
  assert.ok((await failure(volery.web.prove())) instanceof volery.ClaimError)
  assert.ok((await failure(volery.web.prove(NOWHERE))) instanceof volery.SessionError)
})

test('a proof is cancelled at once, and a lost notary is told', async (t) => {
  const { notary, wanted, ended } = await startNotary(t)
  const controller = new AbortController()
  const cancelled = failure(
    volery.web.prove(wanted, { signal: controller.signal, onProgress: () => controller.abort(new Error('enough')) }),
  )
  assert.equal((await cancelled).message, 'enough')
  await ended('error')
  const never = await failure(volery.web.prove(wanted, { signal: AbortSignal.abort(new Error('never')) }))
  assert.equal(never.message, 'never')
  let passed = 0
  const cut = await startProxy(t, notary, (bytes, toPeer, { client, upstream }) => {
    passed += bytes.length
    if (passed < 1_000_000) return bytes
    client.destroy()
    upstream.destroy()
    return null
  })
  const lost = await failure(volery.web.prove({ ...wanted, notary: cut }))
  assert.ok(lost instanceof volery.SessionError, String(lost))
})
