// What an attestation says, drawn: the request and the response, each piece as what it is. Nothing of it is taken as HTML, and nothing of
// it can look like something else.
import { pieces, visible } from './visible.js'

const element = (name, className, ...children) => {
  const made = document.createElement(name)
  if (className) made.className = className
  made.append(...children)
  return made
}

const count = (bytes) => (bytes === 1 ? '1 byte' : `${bytes} bytes`)

/** What each kind of piece is. */
const KINDS = [
  ['revealed', 'Revealed: as it went over the connection'],
  ['claimed', 'Claimed: hidden, but what stands here of it is proved'],
  ['committed', 'Committed: hidden, and its holder can open it later, or prove more about it'],
  ['hidden', 'Hidden: nobody but the prover and the website has seen it'],
]

/** What a hidden part is called by people: `json balance` is the field `balance`. */
const nameOf = (part) => part.replace(/^json /, '')

/** A hidden part: a piece for each of its ranges. */
function hiddenPieces({ part, class: sort, ranges, claims, commit, leaves }) {
  const isCommitted = Boolean(commit) || leaves.length > 0
  const kind = claims.length > 0 ? 'claimed' : isCommitted ? 'committed' : 'hidden'
  // Neighbours are hidden together, so that nobody sees how long each of them is.
  const together = sort === 'json-values' ? ' together' : ''
  return ranges.map(({ start, end }, number) => {
    // What is claimed of several ranges is claimed of them together, and said once.
    const said = number > 0 ? ['goes on'] : claims.map(({ words }) => words)
    const words = [said.length > 0 ? said.join(', and ') : `hidden${together}, ${count(end - start)}`]
    if (isCommitted) words.push('committed to')
    return { start, end, kind, text: visible(`${nameOf(part)}: ${words.join('; ')}`) }
  })
}

/** The pieces of a message, in the order of their bytes: what they are, and in which words. Together they are all of it. */
function piecesOf({ length, revealed, hidden }) {
  const shown = revealed.map(({ start, end, text, hex }) => ({ start, end, kind: 'revealed', text: text ?? `(bytes ${hex})` }))
  const all = [...shown, ...hidden.flatMap(hiddenPieces)].sort((a, b) => a.start - b.start)
  const whole = []
  let at = 0
  const upTo = (end) => {
    if (end > at) whole.push({ kind: 'hidden', text: `${count(end - at)} of which nothing is said` })
  }
  for (const piece of all) {
    upTo(piece.start)
    whole.push(piece)
    at = Math.max(at, piece.end)
  }
  upTo(length)
  return whole
}

function message(title, payload) {
  const text = element('pre', 'message')
  text.tabIndex = 0
  text.setAttribute('aria-label', title)
  for (const { kind, text: words } of piecesOf(payload)) {
    text.append(element('span', `piece ${kind}`, ...(kind === 'revealed' ? pieces(words) : [`‹${words}›`])))
  }
  return [element('h3', '', `${title}, ${count(payload.length)}`), text]
}

function figures(pairs) {
  const list = element('dl', 'told')
  for (const [name, value] of pairs) list.append(element('dt', '', name), element('dd', '', visible(value)))
  return list
}

/** How the connection was made. */
function connection({ tls, suite, mode, alpn }) {
  const how = mode === 'two-party' ? 'page and notary were the client together' : 'the notary relayed'
  return `TLS ${tls}, ${suite}; ${how}; ${alpn ? 'HTTP/1.1, as the server said' : 'the server named no protocol'}`
}

/** What is not there in every attestation. */
function further({ context, rounds, pipelined, holder, query, response }) {
  const commitments = query.commitments.length + response.commitments.length
  const all = [
    [context !== null, 'Made for', context],
    [rounds > 1, 'Requests', `${rounds}, ${pipelined ? 'sent at once' : 'each after the response to the one before'}`],
    [commitments > 0, 'Commitments', String(commitments)],
    [holder !== null, 'Holder', `${holder}, who can present all that is committed to`],
  ]
  return all.filter(([there]) => there).map(([, ...pair]) => pair)
}

/** What a reader has to decide. */
function warned(warnings) {
  if (warnings.length === 0) return []
  const list = element('ul', 'warnings', ...warnings.map((warning) => element('li', '', visible(warning))))
  return [element('h3', '', 'What you have to decide'), list]
}

/** Draws what `attestation.verify` or `attestation.show` has returned into `place`. `whose` says whose key it was compared with. */
export function draw(place, { signer, attestation: said, summary, warnings }, whose) {
  const legend = element('ul', 'legend')
  for (const [kind, words] of KINDS) legend.append(element('li', '', element('span', `piece ${kind}`, words)))
  const title = element('h3', '', 'What the attestation says')
  title.tabIndex = -1
  place.replaceChildren(
    title,
    ...summary.map((sentence) => element('p', '', visible(sentence))),
    figures([
      ['Website', `https://${said.server_name}${said.port === 443 ? '' : `:${said.port}`}`],
      ['Its certificate', said.certificate],
      ['When', `${said.time}, by the notary's clock`],
      ['Signed by', signer],
      ['Whose key', whose],
      ['Connection', connection(said)],
      ...further(said),
    ]),
    ...warned(warnings),
    legend,
    ...message('Request', said.query),
    ...message('Response', said.response),
  )
  place.hidden = false
}
