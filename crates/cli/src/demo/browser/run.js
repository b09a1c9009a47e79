// The panel of a run: progress, figures and the verdict, drawn as they come; and how to cancel.
import { visibleLines } from './visible.js'

const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

export function bytes(count) {
  const units = ['bytes', 'kB', 'MB', 'GB']
  let unit = 0
  while (count >= 1000 && unit < units.length - 1) {
    count /= 1000
    unit++
  }
  return `${unit === 0 ? count : number.format(count)} ${units[unit]}`
}

export function rate(perSecond) {
  return perSecond >= 1e6 ? `${number.format(perSecond / 1e6)} million/s` : `${number.format(perSecond)}/s`
}

export function time(milliseconds) {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${number.format(milliseconds / 1000)} s`
}

/** Why something failed, for people. */
export function reason(error) {
  if (error?.name === 'AbortError') return 'Cancelled'
  const cause = error?.cause?.message ? `\n(${error.cause.message})` : ''
  return `${error?.message ?? error}${cause}`
}

const FIGURES = ['time', 'speed', 'sent', 'received']

/** One section's panel. At most one run at a time. */
export class Run {
  #panel
  #controller
  #buttons
  #started
  #watched
  #failed

  /** `name` is the section's; the first of `buttons` starts a run. `figures` are those that it has, and `failed` is said if it fails. */
  constructor(name, buttons, { figures = FIGURES, failed = 'Not proved' } = {}) {
    this.#failed = failed
    const place = document.querySelector(`[data-run="${name}"]`)
    place.append(document.getElementById('run-template').content.cloneNode(true))
    this.#panel = place.querySelector('.panel')
    this.#buttons = buttons
    for (const figure of place.querySelectorAll('.figures > div')) {
      figure.hidden = !figures.includes(figure.querySelector('[data-figure]').dataset.figure)
    }
    this.#part('progress').setAttribute('aria-label', `Progress: ${buttons[0].textContent}`)
    this.#part('[data-cancel]').addEventListener('click', () => this.#controller?.abort())
    new BroadcastChannel('volery-bytes').addEventListener('message', ({ data }) => {
      if (data.session !== this.#watched) return
      this.figure('sent', bytes(data.sent))
      this.figure('received', bytes(data.received))
    })
  }

  #part(selector) {
    return this.#panel.querySelector(selector)
  }

  figure(name, text) {
    this.#part(`[data-figure="${name}"]`).textContent = text
  }

  /** Counts the bytes of this session. */
  watch(session) {
    this.#watched = session
  }

  /** Draws how far a proof is. */
  progress({ done, total }) {
    const bar = this.#part('progress')
    if (total) bar.value = Math.min(1, done / total)
    const elapsed = performance.now() - this.#started
    this.figure('time', time(elapsed))
    if (elapsed > 50) this.figure('speed', rate((1000 * done) / elapsed))
  }

  /** Says what is being done: the step `number` of `count`. */
  phase(text, number, count) {
    this.#part('progress').value = number / count
    this.figure('time', time(this.elapsed))
    this.#verdict(text, '')
  }

  #verdict(text, kind, detail = '') {
    const verdict = this.#part('.verdict')
    verdict.textContent = visibleLines(text)
    verdict.className = `verdict ${kind}`
    this.detail(detail)
  }

  /** Milliseconds since the click. */
  get elapsed() {
    return performance.now() - this.#started
  }

  /** Adds to what is said below the verdict. */
  detail(text) {
    this.#part('.detail').textContent = visibleLines(text)
  }

  /** Says what came of it, which is neither good nor bad. */
  told(text, detail) {
    this.figure('time', time(this.elapsed))
    this.#part('progress').value = 1
    this.#verdict(text, '', detail)
  }

  accepted(text, detail) {
    this.figure('time', time(this.elapsed))
    this.#part('progress').value = 1
    this.#verdict(text, 'good', detail)
  }

  rejected(text, detail) {
    this.figure('time', time(this.elapsed))
    this.#verdict(text, 'bad', detail)
  }

  /** Forgets the last run, unless one is under way. */
  clear() {
    if (!this.#controller) this.#panel.hidden = true
  }

  /**
   * Forgets the last run, also one that is under way: its verdict would be about what does not stand here any more. Another one may
   * begin at once.
   */
  forget() {
    const controller = this.#controller
    this.#finish(controller)
    controller?.abort()
    this.#panel.hidden = true
  }

  /** What follows a run, unless it was forgotten. */
  #finish(controller) {
    if (this.#controller !== controller) return
    this.#controller = undefined
    const cancel = this.#part('[data-cancel]')
    // Whoever has just used the button to cancel goes on from the button that starts.
    if (document.activeElement === cancel) this.#buttons[0].focus()
    cancel.hidden = true
    for (const button of this.#buttons) button.removeAttribute('aria-disabled')
    this.#panel.removeAttribute('aria-busy')
  }

  /**
   * Runs `work(signal)`, which draws its verdict; an error that it throws is drawn here. Before it draws, it looks whether `signal` says that
   * nobody waits for it.
   */
  async start(doing, work) {
    if (this.#controller) return
    const controller = new AbortController()
    this.#controller = controller
    this.#started = performance.now()
    this.#watched = undefined
    this.#panel.hidden = false
    this.#panel.setAttribute('aria-busy', 'true')
    this.#part('progress').value = 0
    for (const name of FIGURES) this.figure(name, '–')
    this.#verdict(doing, '')
    for (const button of this.#buttons) button.setAttribute('aria-disabled', 'true')
    this.#part('[data-cancel]').hidden = false
    this.#panel.scrollIntoView({ block: 'nearest' })
    try {
      await work(controller.signal)
    } catch (error) {
      const cancelled = controller.signal.aborted
      if (this.#controller === controller) {
        this.rejected(cancelled ? 'Cancelled' : this.#failed, cancelled ? `${this.#failed}.` : reason(error))
      }
    } finally {
      this.#finish(controller)
    }
  }
}

/** Proves in a session, and draws what comes of it. The verifier's own words come last. */
export async function proveIn(run, { session, place }, witness, signal, verdictOf) {
  run.watch(place.session)
  try {
    const onProgress = (progress) => run.progress(progress)
    const report = await session.prove(witness, { onProgress, signal })
    // Constraints over committed values multiply nothing that has to be committed to.
    const gates = place.ring === 'F2' ? 'AND gates' : 'multiplications'
    const [done, what] = report.multiplications > 0 ? [report.multiplications, gates] : [session.total ?? 0, 'secret values']
    run.figure('speed', `${rate(done / report.seconds)}`)
    run.accepted('Accepted by the verifier', 'The verifier is convinced, and has learned nothing else.')
    run.figure('sent', bytes(report.bytesSent))
    run.figure('received', bytes(report.bytesReceived))
    const told = await verdictOf(place.session).catch(() => ({}))
    const count = new Intl.NumberFormat('en').format(done)
    run.detail(
      `${count} ${what}. A false claim is accepted with a probability below one in 2^${Math.floor(report.soundness)}.\n` +
        (told.result === 'accepted' ? 'The verifier’s own verdict: accepted. ' : '') +
        `It has learned nothing else.\nIt verified: ${place.text}`,
    )
    return true
  } finally {
    session.close()
  }
}
