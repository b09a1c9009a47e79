// A notary and a website, both by the program, for tests of what a website said.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { start, startProxy } from './peer.mjs'

const VOLERY = process.env.VOLERY
if (!VOLERY) throw new Error('VOLERY must name the program; js/run sets it')

/** Runs a program, and returns what it prints. It must end with this code. */
export function run(program, args, code = 0) {
  const ran = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000 })
  if (ran.status !== code) throw new Error(`${program} ${args.join(' ')}: code ${ran.status}, not ${code}: ${ran.stdout}${ran.stderr}`)
  return ran.stdout + ran.stderr
}

export const volery = (args, code) => run(VOLERY, args, code)

/** A folder for files, which is removed after the test. */
export function folder(t) {
  const path = mkdtempSync(join(tmpdir(), 'volery-js-'))
  t.after(() => rmSync(path, { recursive: true }))
  return (name) => join(path, name)
}

/**
 * Starts a notary that carries connections to the website of `volery demo web`. `wanted` is what `web.prove` needs of them: the
 * notary shows a certificate of its own, which only a proxy in front of it trusts.
 */
export async function startNotary(t, ...options) {
  const file = folder(t)
  const [roots, key, certificate, certificateKey] = ['roots.pem', 'notary.key', 'cert.pem', 'key.pem'].map(file)
  const site = await start(t, VOLERY, 'demo', 'web', '--listen', '127.0.0.1:0', '--root', roots)
  const port = site.address.split(':').pop()
  const public_ = JSON.parse(volery(['notary', 'key', key, '--json'])).public_key
  const names = 'subjectAltName=DNS:localhost'
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=localhost', '-addext', names]
  run('openssl', ['req', '-x509', ...made, '-keyout', certificateKey, '-out', certificate])
  const usual = ['--relay', '--allow-private', '--port', port]
  const shown = ['--roots', roots, '--tls-cert', certificate, '--tls-key', certificateKey]
  const own = ['--key', key, '--listen', '127.0.0.1:0', ...shown]
  const notary = await start(t, VOLERY, 'notary', 'serve', ...own, ...(options.length > 0 ? options : usual))
  notary.ca = readFileSync(certificate)
  const wanted = {
    notary: await startProxy(t, notary),
    notaryKey: public_,
    url: `https://localhost:${port}/account`,
    headers: { Cookie: 'session=demo' },
    roots: readFileSync(roots),
  }
  /** Waits for the notary's line about a session that ended like this. */
  const ended = (result) => notary.line(new RegExp(`^\\{"result":"${result}"`))
  return { notary, wanted, key: public_, port, ended }
}
