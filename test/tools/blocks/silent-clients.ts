// A thread of clients that send many requests on each connection and read nothing, until the thread
// is terminated.
import { connect } from 'node:net'
import { workerData } from 'node:worker_threads'

// The data from unread-connections.ts.
const { port, host, bytes, connections, requests } = workerData as {
  readonly port: number
  readonly host: string
  readonly bytes: Uint8Array
  readonly connections: number
  readonly requests: number
}

/** Opens a connection, and a new one when it is closed. */
const begin = (): void => {
  const socket = connect(port, host)
  socket.pause()
  socket.on('error', () => {})
  socket.on('close', () => setTimeout(begin, 100))
  let count = 0
  const send = (): void => {
    while (count < requests) {
      count += 1
      if (!socket.write(bytes)) {
        socket.once('drain', send)
        return
      }
    }
  }
  send()
}

for (let n = 0; n < connections; n++) begin()
