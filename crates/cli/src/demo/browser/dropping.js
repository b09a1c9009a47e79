// Files that are dropped somewhere, or chosen.

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

/** A file that misses the place to drop it must not replace the page. */
export function ignoreOthers() {
  for (const name of ['dragover', 'drop']) window.addEventListener(name, (event) => event.preventDefault())
}
