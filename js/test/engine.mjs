// The socket's worker in an engine that has a WebSocket of its own, without a bound on its messages.
import { WebSocket } from 'ws'

globalThis.WebSocket = WebSocket
await import('../socket.js')
