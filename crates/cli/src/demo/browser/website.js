// What a website said: proved together with the notary, and checked by whoever gets the attestation.
import { ClaimError, RejectedError, attestation, preload, web } from './volery/index.js'
import { draw } from './attested.js'
import { answer, sessionName } from './claims.js'
import { onFiles } from './dropping.js'
import { Run, bytes } from './run.js'

const $ = (id) => document.getElementById(id)

/** What is done one after the other, as the package names it. */
const PHASES = [
  'waiting for the notary',
  'asking the website for its version of TLS',
  'preparing the connection',
  'fetching the page',
  'proving',
  'waiting for the attestation',
]

/** The fields of the account, and what the person wants of each. */
const FIELDS = ['holder', 'account', 'currency', 'balance']

/** What the form asks to show and to prove. The rest of the page is hidden. */
function wishes() {
  const wanted = FIELDS.map((name) => [name, $(`website-${name}`).value])
  const of = (wish) => wanted.filter(([, chosen]) => chosen === wish).map(([name]) => `response.json:${name}`)
  const least = $('website-least').value
  if (of('claim').length > 0 && !/^\d+$/.test(least)) throw new Error('the least balance is a whole number')
  return { hide: ['response.body'], reveal: of('show'), assert: of('claim').map((part) => `${part} in ${least}..`) }
}

export function setUp() {
  const run = new Run('website', [$('website-prove')], { figures: ['time', 'sent', 'received'] })
  const checking = new Run('attestation', [$('attestation-check')], { figures: ['time'], failed: 'Not checked' })
  let place
  let document_
  let link

  const known = answer('/website').then((told) => {
    place = told
    $('website-address').textContent = told.website
    $('website-cookie').value = told.cookie
    $('website-key').textContent = told.notaryKey
    if ($('attestation-key').value === '') $('attestation-key').value = told.notaryKey
  })
  known.catch(() => {})

  // Its module is loaded once somebody goes there; who then proves or checks hears of a failure.
  const load = () => void preload({ web: true }).catch(() => {})
  for (const place of ['website', 'attestation']) $(place).addEventListener('focusin', load, { once: true })

  function keep(name, content) {
    document_ = { name, content }
    $('attestation-name').textContent = `${name} (${bytes(content.length)})`
    $('attestation-said').hidden = true
    checking.clear()
  }

  const least = () => ($('website-least-row').hidden = $('website-balance').value !== 'claim')
  $('website-balance').addEventListener('change', least)
  least()

  $('website-form').addEventListener('submit', (event) => {
    event.preventDefault()
    void run.start('Proving …', async (signal) => {
      await known
      const session = sessionName()
      const notary = new URL(`/notary/${session}`, location.href)
      notary.protocol = notary.protocol.replace('http', 'ws')
      run.watch(session)
      const page = {
        notary,
        notaryKey: place.notaryKey,
        url: `${place.website}${$('website-page').value}`,
        headers: { Cookie: $('website-cookie').value },
        roots: place.root,
        ...wishes(),
      }
      const onProgress = ({ phase }) => {
        const words = `${phase[0].toUpperCase()}${phase.slice(1)} …`
        run.phase(words, PHASES.indexOf(phase) + 1, PHASES.length + 1)
      }
      const proved = await web.prove(page, { signal, onProgress })
      if (link) URL.revokeObjectURL(link)
      link = URL.createObjectURL(new Blob([proved.attestation]))
      $('website-download').href = link
      $('website-download').hidden = false
      keep('page.attestation', proved.attestation)
      run.accepted(
        'Attested by the notary',
        `${bytes(proved.attestation.length)}. Download it, or check it below. The notary has seen no more of the page than the attestation says.`,
      )
    })
  })

  onFiles($('attestation-file'), async ([file]) => keep(file.name, new Uint8Array(await file.arrayBuffer())))

  $('attestation-form').addEventListener('submit', (event) => {
    event.preventDefault()
    void checking.start('Checking …', async (signal) => {
      $('attestation-said').hidden = true
      if (!document_) throw new Error('there is no attestation yet: drop one, or prove something above')
      const key = $('attestation-key').value.trim()
      if (!/^[0-9a-f]{64}$/i.test(key)) throw new Error('the notary’s key is 64 hexadecimal digits')
      try {
        const told = await attestation.verify(document_.content, { key, signal })
        checking.accepted('Valid: signed by the notary that you trust', 'Below is what it reveals, and what is proved of the rest.')
        draw($('attestation-said'), told)
      } catch (error) {
        if (!(error instanceof RejectedError || error instanceof ClaimError)) throw error
        checking.rejected(error instanceof RejectedError ? 'Wrong: do not believe it' : 'This is no attestation', error.message)
      }
    })
  })
}
