// Files that are dropped somewhere, or chosen.
import { bytes } from './run.js'
import { visible } from './visible.js'

/** Calls `take(files)` whenever files are chosen with this input or dropped on the label around it. */
export function onFiles(input, take) {
  const label = document.querySelector(`[data-drop="${input.id}"]`)
  input.addEventListener('change', () => input.files.length > 0 && take([...input.files]))
  label?.addEventListener('dragover', (event) => {
    event.preventDefault()
    label.classList.add('over')
  })
  label?.addEventListener('dragleave', () => label.classList.remove('over'))
  label?.addEventListener('drop', (event) => {
    event.preventDefault()
    label.classList.remove('over')
    if (event.dataTransfer.files.length > 0) take([...event.dataTransfer.files])
  })
}

/** The latest file that was chosen or dropped in a place, or made for it, however long each takes to read. */
export class OneFile {
  #turn = 0
  #place

  /** Its name is shown in `place`. `changed()` is called as soon as there is another one, before it is read. */
  constructor(input, place, changed) {
    this.#place = place
    onFiles(input, ([file]) => void this.#read(file, changed))
  }

  async #read(file, changed) {
    const turn = ++this.#turn
    // Nothing is said of the one before any more.
    this.content = undefined
    changed()
    this.#place.textContent = `${visible(file.name)}: being read`
    try {
      const content = new Uint8Array(await file.arrayBuffer())
      if (turn === this.#turn) this.keep(file.name, content)
    } catch (error) {
      if (turn === this.#turn) this.#place.textContent = `${visible(file.name)} could not be read: ${error.message}`
    }
  }

  /** Takes a file that was made here. */
  keep(name, content) {
    this.#turn++
    /** Its bytes; none if there is no file, or while it is being read. */
    this.content = content
    this.#place.textContent = `${visible(name)} (${bytes(content.length)})`
  }
}

/** A file that misses the place to drop it must not replace the page. */
export function ignoreOthers() {
  for (const name of ['dragover', 'drop']) window.addEventListener(name, (event) => event.preventDefault())
}
