// The endpoints of all merchants of a run: good ones answer at once; the others hang, drip, reset,
// or answer after 29 s. They use raw sockets, so that thousands of waiting connections cost little
// next to the server under test.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { endOfMessage, readMessage } from '../../harness/raw-http.ts'

export const FATES = ['hang', 'drip', 'reset', 'late'] as const
export type Fate = (typeof FATES)[number] | 'good'

type Receivers = {
  readonly url: string
  /** When the first byte of the first request for an order's IPN arrived, in epoch milliseconds. */
  readonly ipnAt: ReadonlyMap<string, number>
  /** Requests by fate. */
  readonly count: Readonly<Record<Fate, number>>
  readonly close: () => Promise<void>
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
const ENDLESS_HEAD = 'HTTP/1.1 200 OK\r\nX: '
const DRIP_EVERY = 1_000
const LATE = 29_000

const answer = (socket: Socket, fate: Fate): void => {
  switch (fate) {
    case 'good':
      socket.write(OK)
      return
    case 'reset':
      socket.resetAndDestroy()
      return
    case 'late': {
      const stop = () => clearTimeout(timer)
      const timer = setTimeout(() => {
        socket.off('close', stop)
        socket.write(OK)
      }, LATE)
      socket.on('close', stop)
      return
    }
    case 'drip': {
      let count = 0
      const drip = setInterval(() => socket.write(ENDLESS_HEAD[count++] ?? 'x'), DRIP_EVERY)
      socket.on('close', () => clearInterval(drip))
      return
    }
    case 'hang':
      return
  }
}

/** Paths are `/<merchant>/ipn` and `/<merchant>/events`. */
export const startReceivers = async (fateOf: (merchant: string) => Fate): Promise<Receivers> => {
  const ipnAt = new Map<string, number>()
  const count: Record<Fate, number> = { good: 0, hang: 0, drip: 0, reset: 0, late: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    let received = ''
    let firstByteAt = 0
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.setEncoding('latin1')
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk: string) => {
      if (received === '') firstByteAt = Date.now()
      received += chunk
      const end = endOfMessage(received)
      if (end < 0) return
      const { path, body } = readMessage(received, end)
      received = received.slice(end)
      const [, merchant = '', kind = ''] = path.split('/')
      const orderRef = new URLSearchParams(body).get('order_ref') ?? ''
      if (kind === 'ipn' && !ipnAt.has(orderRef)) ipnAt.set(orderRef, firstByteAt)
      const fate = fateOf(merchant)
      count[fate] += 1
      answer(socket, fate)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ipnAt,
    count,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
