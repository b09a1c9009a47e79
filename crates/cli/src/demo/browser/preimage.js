// A message: its digest is announced while the person types, and a session set up, so that a click only proves.
import { open, RejectedError, SessionError } from './volery/index.js'
import { announce, verdict } from './claims.js'
import { Run, proveIn, reason } from './run.js'

/** How long a person must not have typed before a session is prepared, in milliseconds. */
const PAUSE = 300
/** How old a prepared session may be; the verifier does not wait for ever. */
const FRESH = 300_000

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const $ = (id) => document.getElementById(id)

/** Random bytes in place of a message, one array for each size. */
const random = new Map()

function messageBytes() {
  const size = Number($('message-size').value)
  if (size === 0) return new TextEncoder().encode($('message-text').value)
  if (!random.has(size)) {
    const made = new Uint8Array(size)
    for (let at = 0; at < size; at += 65536) crypto.getRandomValues(made.subarray(at, at + 65536))
    random.set(size, made)
  }
  return random.get(size)
}

/** The claim about the message that is typed in, and the secret side of it. */
export async function typed() {
  const message = messageBytes()
  if (message.length === 0) throw new Error('type a message of at least one character')
  const digest = hex(new Uint8Array(await crypto.subtle.digest('SHA-256', message)))
  return {
    claim: { statement: 'sha256-preimage', values: { digest, length: message.length } },
    witness: `0x${hex(message)}`,
    digest,
    length: message.length,
  }
}

/** Sets the section up. */
export function setUp() {
  const [prove, cheat] = [$('message-prove'), $('message-cheat')]
  const run = new Run('message', [prove, cheat])
  let prepared
  let timer

  async function connect(known, options) {
    const place = await announce(known.claim, options)
    const session = await open(place.url, known.claim, { signal: options?.signal })
    return { place, session }
  }

  function discard() {
    prepared?.connection.then(({ session }) => session.close()).catch(() => {})
    prepared = undefined
  }

  async function prepare() {
    discard()
    const known = await typed()
    discard()
    const connection = connect(known)
    const own = { known, connection, since: performance.now() }
    prepared = own
    $('message-ready').textContent = 'being set up'
    try {
      await connection
      if (prepared === own) $('message-ready').textContent = 'open and set up: a click only proves'
    } catch (error) {
      if (prepared !== own) return
      prepared = undefined
      $('message-ready').textContent = `none: ${reason(error)}`
    }
  }

  async function changed() {
    clearTimeout(timer)
    discard()
    try {
      const known = await typed()
      $('message-digest').textContent = known.digest
      $('message-length').textContent = known.length === 1 ? '1 byte' : `${new Intl.NumberFormat('en').format(known.length)} bytes`
      $('message-ready').textContent = 'when you pause'
      timer = setTimeout(() => void prepare(), PAUSE)
    } catch (error) {
      $('message-digest').textContent = ''
      $('message-length').textContent = '0 bytes'
      $('message-ready').textContent = error.message
    }
  }

  /** The session that was prepared for this claim, or a new one. */
  async function sessionFor(known, signal) {
    const own = prepared
    clearTimeout(timer)
    prepared = undefined
    if (own?.known.digest === known.digest && own.known.length === known.length && performance.now() - own.since < FRESH) {
      try {
        return await own.connection
      } catch {
        // It failed while nobody waited for it. The new one says why.
      }
    } else {
      own?.connection.then(({ session }) => session.close()).catch(() => {})
    }
    return connect(known, { signal })
  }

  $('message-form').addEventListener('submit', (event) => {
    event.preventDefault()
    void run
      .start('Proving …', async (signal) => {
        const known = await typed()
        const connection = await sessionFor(known, signal)
        $('message-ready').textContent = 'in use'
        await proveIn(run, connection, known.witness, signal, verdict)
      })
      .then(changed)
  })

  cheat.addEventListener('click', () => {
    void run.start('Cheating …', async (signal) => {
      const known = await typed()
      // The masked bits of the message come first. The next one is that of the first AND gate.
      const place = await announce(known.claim, { signal, flip: 8 * known.length })
      const session = await open(place.url, known.claim, { signal })
      run.watch(place.session)
      try {
        await session.prove(known.witness, { signal, onProgress: (progress) => run.progress(progress) })
        run.accepted('ACCEPTED: do not use this build', 'A cheat was not noticed.')
      } catch (error) {
        if (signal.aborted || !(error instanceof RejectedError || error instanceof SessionError)) throw error
        const told = await verdict(place.session)
        if (told.result !== 'rejected') throw error
        run.rejected('Rejected by the verifier', `One bit of what this page sent was flipped.\nThe verifier’s own words: ${told.message}`)
      } finally {
        session.close()
      }
    })
  })

  $('message-text').addEventListener('input', changed)
  $('message-size').addEventListener('change', changed)
  void changed()
}
