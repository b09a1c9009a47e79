// What moves bytes between a WebSocket and the rings, in whichever worker has the socket. It never blocks.
import { plain } from './errors.js'
import { LONGEST, webSocket } from './host.js'

/** Bytes that the engine may hold for sending; more would only take memory. */
const BUFFERED = 1 << 20
const MESSAGE = 1 << 16
/** Bytes that may wait for room in the ring. The protocols' parties are never that far ahead of each other. */
const BACKLOG = 64 << 20
/** Messages that may wait, since each takes memory besides its bytes. */
const MESSAGES = 1 << 16

/**
 * Connects to `url`, and moves bytes between the socket and its end of the rings until one of them is closed. `tell` hears when the socket is
 * open, and when and why it is closed. Returns what the party calls when it has changed something that the socket waits for.
 */
export async function carry(url, end, tell) {
  try {
    return carryWith(await webSocket(), url, end, tell)
  } catch (error) {
    tell({ closed: true, error: plain(error) })
    return () => {}
  }
}

function carryWith(Socket, url, end, tell) {
  const socket = new Socket(url)
  socket.binaryType = 'arraybuffer'
  const backlog = []
  let waiting = 0
  let over = false
  let closed = false
  let timer

  function takeIn() {
    while (backlog.length > 0) {
      const done = end.put(backlog[0])
      waiting -= done
      if (done < backlog[0].length) {
        backlog[0] = backlog[0].subarray(done)
        return
      }
      backlog.shift()
    }
    // What came before the end comes first.
    if (over) end.end()
  }

  function sendOut() {
    timer = undefined
    while (socket.readyState === Socket.OPEN) {
      if (socket.bufferedAmount > BUFFERED) {
        // No event says when there is room.
        timer ??= setTimeout(sendOut, 2)
        return
      }
      const bytes = end.take(MESSAGE)
      if (!bytes) {
        if (end.finished) socket.close(1000)
        return
      }
      socket.send(bytes)
    }
  }

  function finish(message) {
    over = true
    takeIn()
    if (closed) return
    closed = true
    tell({ closed: true, ...message })
  }

  socket.onopen = () => {
    tell({ opened: true })
    sendOut()
  }
  /** The code and the words with which a message is refused. For 1003 and 1009, which pages may not send, it has 4003 and 4009. */
  function refusal(data) {
    if (typeof data === 'string') return [4003, 'the peer sent text, which no party sends']
    const { byteLength: size } = data
    if (size > LONGEST) return [4009, `the peer sent ${size} bytes in one message, and a party sends at most ${LONGEST}`]
    if (waiting + size > BACKLOG || backlog.length >= MESSAGES) {
      return [4009, 'the peer sends without waiting for answers, as no party does: there is no room for more']
    }
  }

  socket.onmessage = ({ data }) => {
    if (closed) return
    const refused = refusal(data)
    if (refused) {
      socket.close(refused[0])
      return finish({ error: { name: 'SessionError', message: refused[1] } })
    }
    const bytes = new Uint8Array(data)
    waiting += bytes.length
    backlog.push(bytes)
    if (backlog.length === 1) takeIn()
  }
  socket.onclose = ({ code, reason }) => finish({ code, reason })
  // The close event that follows has no more to say.
  socket.onerror = ({ message }) => finish({ code: 1006, reason: message ?? '' })

  return () => {
    takeIn()
    if (timer === undefined) sendOut()
  }
}
