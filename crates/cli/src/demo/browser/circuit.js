// A circuit of one's own: files are told apart by what is in them.
import { open } from './volery/index.js'
import { announce, verdict } from './claims.js'
import { isR1cs, isWtns, publicValues } from './circom.js'
import { onFiles } from './dropping.js'
import { Run, bytes, proveIn, reason } from './run.js'
import { visible } from './visible.js'

const $ = (id) => document.getElementById(id)

/** Two of three. */
const MAJORITY = '4 7\n3 1 1 1\n1 1\n\n2 1 0 2 3 XOR\n2 1 1 2 4 XOR\n2 1 3 4 5 AND\n2 1 5 2 6 XOR\n'

/** Whether a text begins as circuits in Bristol format do: two numbers, then a line of numbers. */
const isBristol = (text) => /^\s*\d+\s+\d+\s*\n\s*\d+(\s+\d+)+\s*\n/.test(text)

export function setUp() {
  const run = new Run('circuit', [$('circuit-prove')])
  let circuit
  let witness

  function show() {
    const size = (file) => `${visible(file.name)} (${file.kind}, ${bytes(file.content.length)})`
    $('circuit-name').textContent = circuit ? size(circuit) : 'none yet'
    $('circuit-witness-name').textContent = witness ? size(witness) : 'none yet: the inputs below'
    $('circuit-secret').disabled = witness !== undefined
  }

  function derive() {
    if (circuit?.kind !== 'circom' || !witness) return
    $('circuit-public').value = JSON.stringify(publicValues(circuit.content, witness.content))
  }

  function take(name, content) {
    const text = () => new TextDecoder().decode(content)
    if (isR1cs(content)) {
      circuit = { name, content, kind: 'circom' }
    } else if (isWtns(content)) {
      witness = { name, content, kind: 'circom' }
    } else if (isBristol(new TextDecoder().decode(content.subarray(0, 4096)))) {
      circuit = { name, content, kind: 'Bristol' }
      witness = undefined
    } else if (content.length > 1 << 20 || text().includes('\uFFFD')) {
      throw new Error(`${name} is no circuit, no constraint system of circom, no witness, and no text`)
    } else if (/public/i.test(name)) {
      $('circuit-public').value = text()
    } else {
      $('circuit-secret').value = text()
      witness = undefined
    }
  }

  async function takeAll(files) {
    run.clear()
    try {
      for (const file of files) take(file.name, new Uint8Array(await file.arrayBuffer()))
      derive()
    } catch (error) {
      void run.start('', async () => run.rejected('Not a file for this', reason(error)))
    }
    show()
  }

  onFiles($('circuit-files'), takeAll)
  $('circuit-example').addEventListener('click', () => {
    run.clear()
    take('majority.txt', new TextEncoder().encode(MAJORITY))
    $('circuit-secret').value = '0b1\n0b0\n0b1\n'
    $('circuit-public').value = 'output 0 = 0b1\n'
    show()
  })
  $('circuit-form').addEventListener('submit', (event) => {
    event.preventDefault()
    void run.start('Proving …', async (signal) => {
      if (!circuit) throw new Error('there is no circuit yet: drop one, or take the example')
      if (circuit.kind === 'circom' && !witness) throw new Error('circom’s circuits need a witness: drop the .wtns file too')
      const [key, values] = [circuit.kind === 'circom' ? 'r1cs' : 'circuit', $('circuit-public').value.trim()]
      const claim = { [key]: circuit.content, public: values === '' ? undefined : `${values}\n` }
      const place = await announce(claim, { signal })
      const session = await open(place.url, claim, { signal })
      await proveIn(run, { session, place }, witness?.content ?? $('circuit-secret').value, signal, verdict)
    })
  })
  show()
}
