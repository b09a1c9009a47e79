// Two streams of bytes between the party, which waits for its peer, and the socket, which must not. If the memory is a SharedArrayBuffer, each
// of the two is in a worker of its own and the party blocks. Otherwise both are in one worker, and the engine suspends the party.
//
//   words   0 .. 15   indices, flags
//   bytes   64 ..     what came in; then what goes out: `size` bytes each
//
// Indices count bytes from the beginning, modulo 2^32, so both rings can be full. Only one side writes each word.

const EVENT = 0 // The party waits for a change of this word.
const FLAGS = 1
const IN_HEAD = 2
const IN_TAIL = 3
const OUT_HEAD = 4
const OUT_TAIL = 5
const OUT_DONE = 6 // The party sends nothing more.
const IDLE = 7 // The socket has sent everything, and wants to be woken when there is more.
const FULL = 8 // The socket has more than fits, and wants to be woken when there is room.
const HEADER = 64

const ENDED = 1 // Nothing more comes in.
const ABORTED = 2

/** What the party waits for, as the Rust side numbers it. */
const READS = 1
const WRITES = 2

/** Memory for two rings of `size` bytes, a power of two; unless it is `shared`, for one worker. */
export function makeRings({ size = 1 << 18, shared = true } = {}) {
  return new (shared ? SharedArrayBuffer : ArrayBuffer)(HEADER + 2 * size)
}

class End {
  constructor(buffer) {
    this.words = new Int32Array(buffer, 0, HEADER / 4)
    this.size = (buffer.byteLength - HEADER) / 2
    this.incoming = new Uint8Array(buffer, HEADER, this.size)
    this.outgoing = new Uint8Array(buffer, HEADER + this.size, this.size)
  }

  load(word) {
    return Atomics.load(this.words, word)
  }

  /** Bytes in a ring between two of its words. */
  used(head, tail) {
    return (this.load(head) - this.load(tail)) >>> 0
  }

  /** Moves bytes out of `ring` from index `at` on into `out`. */
  copyOut(ring, at, out) {
    const start = at & (this.size - 1)
    const first = Math.min(out.length, this.size - start)
    out.set(ring.subarray(start, start + first))
    out.set(ring.subarray(0, out.length - first), first)
  }

  copyIn(ring, at, bytes) {
    const start = at & (this.size - 1)
    const first = Math.min(bytes.length, this.size - start)
    ring.set(bytes.subarray(0, first), start)
    ring.set(bytes.subarray(first), 0)
  }

  get aborted() {
    return (this.load(FLAGS) & ABORTED) !== 0
  }

  get ended() {
    return (this.load(FLAGS) & ENDED) !== 0
  }

  signal() {
    Atomics.add(this.words, EVENT, 1)
    Atomics.notify(this.words, EVENT)
  }

  /** Makes the party's next wait, read and write fail. Any thread may call this. */
  abort() {
    Atomics.or(this.words, FLAGS, ABORTED)
    this.signal()
  }
}

/** The party's end. `wake` tells the socket's worker that something has changed that it waits for. */
export class PartyEnd extends End {
  constructor(buffer, wake) {
    super(buffer)
    this.wake = wake
  }

  checkAborted() {
    if (this.aborted) throw new Error('aborted')
  }

  /** Reads into `out`. Returns the number of bytes, 0 at the end, or -1 if there is nothing yet. */
  read(out) {
    this.checkAborted()
    // In this order: bytes that came before the end are seen once the end is.
    const ended = this.ended
    const count = Math.min(this.used(IN_HEAD, IN_TAIL), out.length)
    if (count === 0) return ended ? 0 : -1
    const tail = this.load(IN_TAIL)
    this.copyOut(this.incoming, tail, out.subarray(0, count))
    Atomics.store(this.words, IN_TAIL, (tail + count) | 0)
    if (Atomics.exchange(this.words, FULL, 0) === 1) this.wake()
    return count
  }

  /** Writes as much of `bytes` as fits. Returns the number, -1 if there is no room, or 0 if nobody reads any more. */
  write(bytes) {
    this.checkAborted()
    if (this.ended) return 0
    const head = this.load(OUT_HEAD)
    const count = Math.min(this.size - this.used(OUT_HEAD, OUT_TAIL), bytes.length)
    if (count === 0) return -1
    this.copyIn(this.outgoing, head, bytes.subarray(0, count))
    Atomics.store(this.words, OUT_HEAD, (head + count) | 0)
    if (Atomics.exchange(this.words, IDLE, 0) === 1) this.wake()
    return count
  }

  /** Whether `interest` may be served. */
  ready(interest) {
    if (this.ended) return true
    if (interest & READS && this.used(IN_HEAD, IN_TAIL) > 0) return true
    return (interest & WRITES) !== 0 && this.used(OUT_HEAD, OUT_TAIL) < this.size
  }

  /** Blocks until `interest` may be served, for at most `milliseconds`. Returns whether it may. */
  wait(interest, milliseconds) {
    const end = performance.now() + milliseconds
    for (;;) {
      const event = this.load(EVENT)
      this.checkAborted()
      if (this.ready(interest)) return true
      const left = end - performance.now()
      if (left <= 0) return false
      Atomics.wait(this.words, EVENT, event, left)
    }
  }

  /** Nothing more will be written. */
  finish() {
    Atomics.store(this.words, OUT_DONE, 1)
    this.wake()
  }
}

/** The party's end in the worker of the socket, of a party that the engine suspends while it waits. */
export class SuspendedEnd extends PartyEnd {
  #look = () => {}

  /** What `wait` of a party that blocks returns, or a promise of that. */
  wait(interest, milliseconds) {
    // An exception would end the party's functions without their destructors, and the peer would be told nothing. So an abort says that there
    // is something to read or write, and the next `read` or `write` fails.
    const ready = () => this.aborted || this.ready(interest)
    if (ready()) return true
    if (milliseconds <= 0) return false
    const end = performance.now() + milliseconds
    return new Promise((resolve) => {
      let timer
      const settle = (result) => {
        clearTimeout(timer)
        this.#look = () => {}
        resolve(result)
      }
      this.#look = () => ready() && settle(true)
      const late = () => {
        const left = end - performance.now()
        if (left <= 0) settle(ready())
        else timer = setTimeout(late, left)
      }
      late()
    })
  }

  signal() {
    this.#look()
  }
}

/** The socket's end, which never blocks. `party` is the party's, if that is in the same worker. */
export class SocketEnd extends End {
  #party

  constructor(buffer, party) {
    super(buffer)
    this.#party = party
  }

  signal() {
    if (this.#party) this.#party.signal()
    else super.signal()
  }

  /** Puts as much of `bytes` in as fits. Returns the number; if that is not all, the party will wake the socket. */
  put(bytes) {
    let done = 0
    for (;;) {
      const head = this.load(IN_HEAD)
      const count = Math.min(this.size - this.used(IN_HEAD, IN_TAIL), bytes.length - done)
      if (count > 0) {
        this.copyIn(this.incoming, head, bytes.subarray(done, done + count))
        Atomics.store(this.words, IN_HEAD, (head + count) | 0)
        this.signal()
        done += count
      }
      if (done === bytes.length) return done
      Atomics.store(this.words, FULL, 1)
      // There may be room since the look above; then nobody will wake us.
      if (this.used(IN_HEAD, IN_TAIL) === this.size) return done
      Atomics.store(this.words, FULL, 0)
    }
  }

  /** Takes at most `most` bytes out, or null if there are none; then the party will wake the socket. */
  take(most) {
    for (;;) {
      const count = Math.min(this.used(OUT_HEAD, OUT_TAIL), most)
      if (count > 0) {
        const bytes = new Uint8Array(count)
        const tail = this.load(OUT_TAIL)
        this.copyOut(this.outgoing, tail, bytes)
        Atomics.store(this.words, OUT_TAIL, (tail + count) | 0)
        this.signal()
        return bytes
      }
      Atomics.store(this.words, IDLE, 1)
      if (this.used(OUT_HEAD, OUT_TAIL) === 0) return null
      Atomics.store(this.words, IDLE, 0)
    }
  }

  /** Whether the party has said that it writes nothing more, and all of it has been taken. */
  get finished() {
    return this.load(OUT_DONE) === 1 && this.used(OUT_HEAD, OUT_TAIL) === 0
  }

  /** Nothing more comes in. */
  end() {
    Atomics.or(this.words, FLAGS, ENDED)
    this.signal()
  }
}
