// What came from elsewhere, so that people see what it is: nothing of it hides, or changes the order of what stands around it.

/**
 * Characters that do not print, or change what stands beside them: controls, marks of direction, characters without a width, blanks that
 * are no blank, and those that mean nothing.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

const escaped = (character) => `\\u{${character.codePointAt(0).toString(16)}}`

/** A text in which all of them are written as `\u{202e}`. */
export function visible(text) {
  return String(text).replace(UNSEEN, escaped)
}

/** The same of a text with lines of its own, each by itself. */
export function visibleLines(text) {
  return String(text).split('\n').map(visible).join('\n')
}

/**
 * What to put into an element for a text of several lines. An escape is an element of its own, so that it looks unlike the same characters
 * in the text.
 */
export function pieces(text) {
  const found = []
  let at = 0
  const plain = (end) => end > at && found.push(text.slice(at, end))
  for (const { 0: character, index } of text.matchAll(UNSEEN)) {
    if (character === '\n') continue
    plain(index)
    at = index + character.length
    // HTTP's lines end with both.
    if (character === '\r' && text[at] === '\n') continue
    const escape = document.createElement('span')
    escape.className = 'escape'
    escape.textContent = escaped(character)
    found.push(escape)
  }
  plain(text.length)
  return found
}
