// What an attestation says, drawn: the request and the response, each piece as what it is. Nothing of it is taken as HTML.

const element = (name, className, ...children) => {
  const made = document.createElement(name)
  if (className) made.className = className
  made.append(...children)
  return made
}

const count = (bytes) => (bytes === 1 ? '1 byte' : `${bytes} bytes`)

/** What a hidden part is called by people: `json balance` is the field `balance`. */
const nameOf = (part) => part.replace(/^json /, '')

/** The pieces of a message, in the order of their bytes: what they are, and in which words. */
function pieces({ revealed, hidden }) {
  const shown = revealed.map(({ start, text, hex }) => ({ start, kind: 'revealed', text: text ?? `(bytes ${hex})` }))
  const secret = hidden.flatMap(({ part, class: sort, ranges, claims, commit }) =>
    ranges.map(({ start, end }, number) => {
      // What is claimed of several ranges is claimed of them together, and said once.
      const said = number === 0 ? claims.map(({ words }) => words) : []
      const kind = claims.length > 0 ? 'claimed' : 'hidden'
      // Neighbours are hidden together, so that nobody sees how long each of them is.
      const together = sort === 'json-values' ? ' together' : ''
      const words = [said.length > 0 ? said.join(', and ') : `hidden${together}, ${count(end - start)}`]
      if (commit) words.push('committed to')
      return { start, kind, text: `${nameOf(part)}: ${words.join('; ')}` }
    }),
  )
  return [...shown, ...secret].sort((a, b) => a.start - b.start)
}

function message(title, payload) {
  const text = element('pre', 'message')
  text.tabIndex = 0
  text.setAttribute('aria-label', title)
  for (const { kind, text: words } of pieces(payload)) {
    const piece = element('span', `piece ${kind}`, kind === 'revealed' ? words.replaceAll('\r\n', '\n') : `‹${words}›`)
    text.append(piece)
  }
  return [element('h3', '', `${title}, ${count(payload.length)}`), text]
}

function figures(pairs) {
  const list = element('dl', 'told')
  for (const [name, value] of pairs) list.append(element('dt', '', name), element('dd', '', value))
  return list
}

/** Draws what `attestation.verify` has returned into `place`. */
export function draw(place, { signer, attestation: said, summary }) {
  const legend = element('ul', 'legend')
  for (const [kind, words] of [
    ['revealed', 'Revealed: as it went over the connection'],
    ['claimed', 'Claimed: hidden, but what stands here of it is proved'],
    ['hidden', 'Hidden: nobody but the prover and the website has seen it'],
  ]) {
    legend.append(element('li', '', element('span', `piece ${kind}`, words)))
  }
  const title = element('h3', '', 'What the attestation says')
  title.tabIndex = -1
  place.replaceChildren(
    title,
    element('p', '', summary.join('\n')),
    figures([
      ['Website', `https://${said.server_name}${said.port === 443 ? '' : `:${said.port}`}`],
      ['Its certificate', said.certificate],
      ['When', `${said.time}, by the notary's clock`],
      ['Signed by', signer],
      ['Connection', `TLS ${said.tls}; ${said.mode === 'two-party' ? 'page and notary were the client together' : 'the notary relayed'}`],
    ]),
    legend,
    ...message('Request', said.query),
    ...message('Response', said.response),
  )
  place.hidden = false
}
