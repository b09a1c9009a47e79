// What the verifier is told, and where it then waits.
import { VoleryError } from './volery/errors.js'

/** What the verifier says to a claim or a session that it does not take. */
export class VerifierError extends VoleryError {}

/** What the program answers, from JSON. */
export async function answer(path, options) {
  let response
  try {
    response = await fetch(path, options)
  } catch {
    throw new VerifierError('the verifier does not answer: is the program still running?')
  }
  if (response.ok) return response.json()
  throw new VerifierError(`the verifier says: ${(await response.text()).trim()}`)
}

function base64(bytes) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(new Blob([bytes]))
  })
}

/** A name for a session, under which its bytes are counted. */
export function sessionName() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Tells the verifier a claim, as the package names it. Returns where it verifies it. */
export async function announce({ statement, values, circuit, r1cs, public: publicValues }, { signal, flip } = {}) {
  const file = circuit ?? r1cs
  const sent = {
    statement,
    values: values && Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
    circuit: file && (await base64(file)),
    public: publicValues,
  }
  const options = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(sent), signal }
  const { id, text, ring } = await answer('/claims', options)
  const session = sessionName()
  const url = new URL(`/verify/${id}/${session}`, location.href)
  url.protocol = url.protocol.replace('http', 'ws')
  if (flip !== undefined) url.searchParams.set('flip', flip)
  return { url, text, ring, session }
}

/** How a session ended, as the verifier sees it: its result, and its figures or a message. */
export async function verdict(session) {
  for (let attempt = 0; attempt < 3; attempt++) {
    const told = await answer(`/verdicts/${session}`)
    if (told.result !== 'pending') return told
  }
  return { result: 'pending' }
}
