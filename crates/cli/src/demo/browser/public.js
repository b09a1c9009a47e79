// Public proofs: made and checked in this page, without a verifier on the other side.
import { MismatchError, RejectedError, makeProof, verifyProof } from './volery/index.js'
import { isR1cs } from './circom.js'
import { OneFile } from './dropping.js'
import { typed } from './preimage.js'
import { Run, bytes } from './run.js'

const $ = (id) => document.getElementById(id)

/** Longer messages take long to prove in public. */
const MOST = 4096

export function setUp() {
  const run = new Run('public', [$('public-check'), $('public-make')], { figures: ['time'] })
  let making = false
  let link

  /** A verdict is about one proof and one claim: it goes when either of them does. */
  function forget() {
    // A proof that is being made is about the message above.
    if (!making) run.forget()
  }

  const proof = new OneFile($('public-file'), $('public-name'), forget)
  $('public-form').addEventListener('input', forget)

  const chosen = () => document.querySelector('[name="public-claim"]:checked').value
  const show = () => {
    $('public-preimage').hidden = chosen() !== 'preimage'
    $('public-circuit').hidden = chosen() !== 'circuit'
  }
  for (const choice of document.querySelectorAll('[name="public-claim"]')) choice.addEventListener('change', show)
  show()

  async function claim() {
    if (chosen() === 'preimage') {
      const [digest, length] = [$('public-digest').value.trim(), $('public-length').value]
      if (!/^[0-9a-f]{64}$/i.test(digest)) throw new Error('the digest is 64 hexadecimal digits')
      return { statement: 'sha256-preimage', values: { digest, length } }
    }
    const [file] = $('public-circuit-file').files
    if (!file) throw new Error('choose the circuit’s file')
    const content = new Uint8Array(await file.arrayBuffer())
    const values = $('public-values').value.trim()
    return { [isR1cs(content) ? 'r1cs' : 'circuit']: content, public: values === '' ? undefined : `${values}\n` }
  }

  async function make(signal) {
    const known = await typed()
    if (known.length > MOST) throw new Error(`take a message of at most ${MOST} bytes: others take long`)
    const content = await makeProof(known.claim, known.witness, { signal })
    signal.throwIfAborted()
    if (link) URL.revokeObjectURL(link)
    link = URL.createObjectURL(new Blob([content]))
    $('public-download').href = link
    $('public-download').hidden = false
    proof.keep('message.proof', content)
    $('public-digest').value = known.digest
    $('public-length').value = known.length
    document.querySelector('[name="public-claim"][value="preimage"]').checked = true
    show()
    run.accepted('Made: a proof that anybody can check', `${bytes(content.length)}. Download it, or check it here.`)
  }

  $('public-make').addEventListener('click', () => {
    void run.start('Making a proof …', async (signal) => {
      making = true
      try {
        await make(signal)
      } finally {
        making = false
      }
    })
  })

  $('public-form').addEventListener('submit', (event) => {
    event.preventDefault()
    void run.start('Checking …', async (signal) => {
      const { content } = proof
      if (!content) throw new Error('there is no proof yet: drop one, or make one')
      try {
        const report = await verifyProof(await claim(), content, { signal })
        signal.throwIfAborted()
        run.accepted(
          'Right: the proof holds',
          `Its maker knew what is claimed. Protocol ${report.protocol}; a false proof takes about 2^${Math.floor(report.soundness)} hash computations.`,
        )
      } catch (error) {
        const about = error instanceof MismatchError ? 'This proof is about something else' : 'Wrong: the proof does not hold'
        if (!(error instanceof RejectedError || error instanceof MismatchError)) throw error
        run.rejected(about, error.message)
      }
    })
  })
}
