// The worker that runs a party. While the party waits for its peer this worker blocks, and another one has the socket; or the engine suspends
// the party, and this worker has the socket itself.
import { carry } from './carrier.js'
import { plain } from './errors.js'
import { hear, serve } from './host.js'
import { instantiate, waitedFor } from './instance.js'
import { PartyEnd, SocketEnd, SuspendedEnd, makeRings } from './ring.js'

let glue
let party
/** The party's end of the rings, if the socket is in this worker. */
let own

/** The party's end of the rings. */
const ringOf = ({ buffer, wake }) => (buffer ? new PartyEnd(buffer, () => wake.postMessage(0)) : own)

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
  async load({ name, module, suspends }) {
    glue = await import(`./dist/${name}.js`)
    instantiate(glue, module, suspends)
  },
  /** Connects to `url` in this worker. `port` hears what becomes of the socket, and says when the party is to give up. */
  async connect({ url, port }) {
    const buffer = makeRings({ shared: false })
    let wake
    const end = new SuspendedEnd(buffer, () => wake())
    own = end
    hear(port, () => end.abort())
    wake = await carry(url, new SocketEnd(buffer, end), (message) => port.postMessage(message))
  },
  async open({ role, claim, options, ...rings }) {
    party = new glue.Party(ringOf(rings), role === 'verifier', claim, options)
    await waitedFor(() => party.setUp())
    party.result()
    return party.commitments()
  },
  async prove({ task, witness, total }) {
    await waitedFor(() => party.prove(witness, listener(task, total)))
    return party.result()
  },
  async verify({ task, total }) {
    await waitedFor(() => party.verify(listener(task, total)))
    return party.result()
  },
  checkWeb: ({ wanted }) => glue.checkWeb(wanted),
  async proveWeb({ task, wanted, ...rings }) {
    const proof = new glue.WebProof(ringOf(rings), wanted)
    // After a trap it stays as it is, and the worker ends.
    await waitedFor(() => proof.prove(phases(task)))
    try {
      return proof.result()
    } finally {
      proof.free()
    }
  },
  showAttestation: ({ document }) => glue.showAttestation(document),
  verifyAttestation: ({ document, demands }) => glue.verifyAttestation(document, demands),
  openAttestation: ({ document, openings, parts }) => glue.openAttestation(document, openings, parts),
  proveRange: ({ document, openings, claim }) => glue.proveRange(document, openings, claim),
  close() {
    party?.free()
    party = undefined
    own?.finish()
    own = undefined
  },
  check: ({ claim, witness }) => glue.check(claim, witness),
  makeProof: ({ claim, witness, sigma }) => glue.makeProof(claim, witness, sigma),
  verifyProof: ({ claim, proof, sigma }) => glue.verifyProof(claim, proof, sigma),
}

async function answer(message) {
  const { task, what } = message
  try {
    post({ task, result: await TASKS[what](message) })
  } catch (error) {
    post({ task, error: plain(error) })
  }
}

// One after the other: while a party is suspended, nothing else may use its instance.
let last = Promise.resolve()
const post = serve((message) => {
  last = last.then(() => answer(message))
})
