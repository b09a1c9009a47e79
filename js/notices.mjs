// Writes what the licences of the crates in the modules ask for, into dist/NOTICES.txt: each crate's name and the texts that it comes with.
// `js/run build` calls it.
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const features = ['metadata', '--locked', '--format-version', '1', '--features', 'volery-js/claims,volery-js/web']
const platform = ['--filter-platform', 'wasm32-unknown-unknown', '--manifest-path', new URL('Cargo.toml', import.meta.url).pathname]
const metadata = JSON.parse(execFileSync('cargo', [...features, ...platform], { encoding: 'utf8', maxBuffer: 1 << 28 }))
const packages = new Map(metadata.packages.map((one) => [one.id, one]))
const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]))

/** The crates that are linked into the modules: not those that only build them. */
function linked(root) {
  const found = new Set()
  const rest = [root]
  for (let id = rest.pop(); id !== undefined; id = rest.pop()) {
    if (found.has(id)) continue
    found.add(id)
    const macro = (dep) => packages.get(dep.pkg).targets.some(({ kind }) => kind.includes('proc-macro'))
    for (const dep of nodes.get(id).deps) {
      if (dep.dep_kinds.some(({ kind }) => kind === null) && !macro(dep)) rest.push(dep.pkg)
    }
  }
  return [...found].map((id) => packages.get(id)).filter(({ source }) => source !== null)
}

/** The texts of a crate: its licences, that of MIT alone if it may be chosen, and what they ask to be passed on. */
function texts({ license, manifest_path }) {
  const folder = dirname(manifest_path)
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^(licen[cs]e|copying|copyright|notice|unlicense)/i.test(entry.name))
    .map(({ name }) => name)
  const mit = names.filter((name) => /mit|copyright|notice/i.test(name))
  const chosen = /\bMIT\b/.test(license) && / OR |\//.test(license) && mit.some((name) => /mit/i.test(name)) ? mit : names
  return chosen.map((name) => readFileSync(join(folder, name), 'utf8').trim()).sort()
}

const root = metadata.packages.find(({ name }) => name === 'volery-js')
// Many crates come with the same text. It is written once.
const together = new Map()
for (const one of linked(root.id)) {
  const names = [`${one.name} ${one.version} (${one.license ?? 'see the text'})${one.authors.length > 0 ? `, ${one.authors.join(', ')}` : ''}`]
  const text = texts(one).join('\n\n') || `No text comes with it; its page is ${one.repository ?? one.homepage ?? 'on crates.io'}.`
  together.set(text, [...(together.get(text) ?? []), ...names])
}
const sections = [...together].map(([text, names]) => `${names.sort().join('\n')}\n\n${text}\n`).sort()
const line = `${'-'.repeat(80)}\n`
writeFileSync(
  new URL('dist/NOTICES.txt', import.meta.url),
  `The modules contain these crates, by others than Volery's authors, with these licences, and the standard library of\nThe Rust Project (MIT OR Apache-2.0).\n\n${line}${sections.join(`\n${line}`)}`,
)
