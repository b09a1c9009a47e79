// What moves bytes, in place of the package's own: the package's, with a WebSocket that counts bytes for the page, and that cheats if
// the address ends with ?flip=N.
export * from './package-carrier.js'

/** The tag of the frames in which a prover sends its masked bits, one for each secret bit and each AND gate. */
const MASKS = 0x20

/** Flips one of the masked bits on their way: the one with this index. */
class Flip {
  #left
  #header = []
  #payload = 0

  constructor(index) {
    this.#left = index
  }

  /** Changes a part of the stream of frames (tag, length in four bytes, payload). */
  change(bytes) {
    for (let at = 0; at < bytes.length && this.#left >= 0; ) {
      if (this.#payload === 0) {
        this.#header.push(bytes[at++])
        if (this.#header.length === 5) {
          this.#payload = this.#header.slice(1).reduceRight((sum, byte) => sum * 256 + byte, 0)
          if (this.#payload === 0) this.#header = []
        }
        continue
      }
      const count = Math.min(this.#payload, bytes.length - at)
      if (this.#header[0] === MASKS) this.#flip(bytes.subarray(at, at + count))
      at += count
      this.#payload -= count
      if (this.#payload === 0) this.#header = []
    }
  }

  #flip(payload) {
    const byte = Math.floor(this.#left / 8)
    if (byte < payload.length) payload[byte] ^= 1 << (this.#left % 8)
    this.#left -= 8 * payload.length
  }
}

/** How often the page hears of bytes, in milliseconds. */
const INTERVAL = 50

/** Whoever counts what a worker's sockets carry, one after the other. */
let told

globalThis.WebSocket = class extends WebSocket {
  #flip
  #timer
  #count

  constructor(url) {
    const address = new URL(url)
    const flip = address.searchParams.get('flip')
    address.search = ''
    super(address)
    if (flip !== null) this.#flip = new Flip(Number(flip))
    this.#count = { session: address.pathname.split('/').pop(), sent: 0, received: 0 }
    this.addEventListener('message', ({ data }) => this.#add('received', data.byteLength ?? 0))
  }

  send(bytes) {
    this.#flip?.change(bytes)
    super.send(bytes)
    this.#add('sent', bytes.length)
  }

  #add(way, bytes) {
    this.#count[way] += bytes
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      told ??= new BroadcastChannel('volery-bytes')
      told.postMessage(this.#count)
    }, INTERVAL)
  }
}
