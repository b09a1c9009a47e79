// What a website said: proved together with the notary, and checked by whoever gets the attestation.
import { ClaimError, RejectedError, attestation, preload, web } from './volery/index.js'
import { draw } from './attested.js'
import { answer, sessionName } from './claims.js'
import { OneFile } from './dropping.js'
import { Run, bytes, reason } from './run.js'
import { visible } from './visible.js'

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
  let link

  /** A verdict is about one file and one key: it goes when either of them does. */
  function forget() {
    checking.forget()
    $('attestation-said').hidden = true
    $('attestation-said').replaceChildren()
  }

  const file = new OneFile($('attestation-file'), $('attestation-name'), forget)
  $('attestation-form').addEventListener('input', forget)

  const known = answer('/website').then((told) => {
    place = told
    $('website-address').textContent = visible(told.website)
    $('website-cookie').value = told.cookie
    $('website-key').textContent = visible(told.notaryKey)
    if ($('attestation-key').value !== '') return
    $('attestation-key').value = told.notaryKey
    forget()
  })
  known.catch((error) => ($('website-address').textContent = visible(reason(error))))

  // Its module is loaded once somebody goes there; who then proves or checks hears of a failure.
  const load = () => void preload({ web: true }).catch(() => {})
  for (const place of ['website', 'attestation']) $(place).addEventListener('focusin', load, { once: true })

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
      signal.throwIfAborted()
      if (link) URL.revokeObjectURL(link)
      link = URL.createObjectURL(new Blob([proved.attestation]))
      $('website-download').href = link
      $('website-download').hidden = false
      forget()
      file.keep('page.attestation', proved.attestation)
      run.accepted(
        'Attested by the notary',
        `${bytes(proved.attestation.length)}. Download it, or check it below. The notary has seen no more of the page than the attestation says.`,
      )
    })
  })

  /** What a signature with this key, which was given, is worth, in few words and in many. */
  const worth = (key) =>
    key.toLowerCase() === place?.notaryKey
      ? [
          'Valid: signed with the key of this demonstration’s notary',
          'That of this demonstration’s own notary. It proves nothing outside of the demonstration: whoever runs this program signs with it.',
        ]
      : ['Valid: signed with the key that you gave', 'The one that you gave above. It is for you to know whose it is, and whether to trust them.']

  /** What the file says that nobody's key was compared with. */
  async function show(content, signal) {
    const told = await attestation.show(content, { signal })
    signal.throwIfAborted()
    checking.told('Not checked: no key was given', 'Anybody may have made this file. Below is what it says.')
    draw($('attestation-said'), told, 'The one that the file itself names. Nobody has compared it with a key that you trust.')
  }

  async function check(content, key, signal) {
    const told = await attestation.verify(content, { key, signal })
    signal.throwIfAborted()
    const [verdict, whose] = worth(key)
    checking.accepted(verdict, 'Below is what it reveals, and what is proved of the rest.')
    draw($('attestation-said'), told, whose)
  }

  $('attestation-form').addEventListener('submit', (event) => {
    event.preventDefault()
    void checking.start('Checking …', async (signal) => {
      $('attestation-said').hidden = true
      const [content, key] = [file.content, $('attestation-key').value.trim()]
      if (!content) throw new Error('there is no attestation yet: drop one, or prove something above')
      if (!/^([0-9a-f]{64})?$/i.test(key)) throw new Error('the notary’s key is 64 hexadecimal digits')
      try {
        await (key === '' ? show(content, signal) : check(content, key, signal))
      } catch (error) {
        if (!(error instanceof RejectedError || error instanceof ClaimError)) throw error
        checking.rejected(error instanceof RejectedError ? 'Wrong: do not believe it' : 'This is no attestation', error.message)
      }
    })
  })
}
