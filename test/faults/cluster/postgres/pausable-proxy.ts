// A proxy to the database that a test can pause. It holds what is sent, and counts the bytes that
// come back.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type PausableProxy = {
  /** The database's URL through this proxy. */
  readonly url: string
  readonly pause: () => void
  readonly resume: () => void
  /** Breaks all current connections. */
  readonly disconnect: () => void
  /** Bytes received from the database. */
  readonly received: () => number
  readonly close: () => Promise<void>
}

/** `isRefused`: a message that ends its connection. */
export const pausableProxy = async (
  database: string,
  isRefused: (bytes: Buffer) => boolean = () => false,
): Promise<PausableProxy> => {
  const to = new URL(database)
  const sockets = new Set<Socket>()
  let isPaused = false
  let received = 0
  const server = createServer((near) => {
    const far = connect(Number(to.port), to.hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        near.destroy()
        far.destroy()
        sockets.delete(socket)
      })
    }
    let waiting: Buffer[] = []
    near.on('data', (bytes) => {
      if (isRefused(bytes)) near.destroy()
      else if (isPaused) waiting.push(bytes)
      else far.write(bytes)
    })
    server.on('letGo', () => {
      for (const bytes of waiting) far.write(bytes)
      waiting = []
    })
    far.on('data', (bytes) => {
      received += bytes.length
      near.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(database)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    pause: () => {
      isPaused = true
    },
    resume: () => {
      isPaused = false
      server.emit('letGo')
    },
    disconnect: () => {
      for (const socket of sockets) socket.destroy()
    },
    received: () => received,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
