// The worker that owns the WebSocket of a party that blocks in a worker of its own.
import { carry } from './carrier.js'
import { hear, serve } from './host.js'
import { SocketEnd } from './ring.js'

const post = serve(async ({ url, buffer, wake }) => hear(wake, await carry(url, new SocketEnd(buffer), post)))
