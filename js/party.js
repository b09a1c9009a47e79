// The worker that runs a party: it blocks whenever the party waits for its peer.
import { plain } from './errors.js'
import { serve } from './host.js'
import { PartyEnd } from './ring.js'

let glue
let party

async function instantiate({ name, module }) {
  glue = await import(`./dist/${name}.js`)
  glue.initSync({ module })
}

/** Tells how far a proof is, at most every 30 ms. */
function listener(task, total) {
  let last = -Infinity
  return (committed) => {
    // Values go in whole bytes, so the last ones may be a few more.
    const done = Math.min(committed, total ?? committed)
    const now = performance.now()
    if (now - last < 30 && done !== total) return
    last = now
    post({ task, progress: { done, total } })
  }
}

/** Tells what is being done. */
const phases = (task) => (phase) => post({ task, progress: { phase } })

const TASKS = {
  load: (message) => instantiate(message),
  open({ role, claim, options, buffer, wake }) {
    const ring = new PartyEnd(buffer, () => wake.postMessage(0))
    party = new glue.Party(ring, role === 'verifier', claim, options)
    return party.commitments()
  },
  prove: ({ task, witness, total }) => party.prove(witness, listener(task, total)),
  verify: ({ task, total }) => party.verify(listener(task, total)),
  checkWeb: ({ wanted }) => glue.checkWeb(wanted),
  proveWeb({ task, wanted, buffer, wake }) {
    return glue.proveWeb(new PartyEnd(buffer, () => wake.postMessage(0)), wanted, phases(task))
  },
  showAttestation: ({ document }) => glue.showAttestation(document),
  verifyAttestation: ({ document, demands }) => glue.verifyAttestation(document, demands),
  openAttestation: ({ document, openings, parts }) => glue.openAttestation(document, openings, parts),
  proveRange: ({ document, openings, claim }) => glue.proveRange(document, openings, claim),
  close() {
    party?.free()
    party = undefined
  },
  check: ({ claim, witness }) => glue.check(claim, witness),
  makeProof: ({ claim, witness, sigma }) => glue.makeProof(claim, witness, sigma),
  verifyProof: ({ claim, proof, sigma }) => glue.verifyProof(claim, proof, sigma),
}

const post = serve(async (message) => {
  const { task, what } = message
  try {
    post({ task, result: await TASKS[what](message) })
  } catch (error) {
    post({ task, error: plain(error) })
  }
})
