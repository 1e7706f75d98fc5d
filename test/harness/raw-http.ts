// HTTP as text on bare sockets: a client for requests that no HTTP library sends, and where a
// message ends, for peers that cost little next to the server under test.
import { connect } from 'node:net'

type RawAnswer = {
  readonly statuses: readonly number[]
  readonly text: string
  readonly end: 'closed' | 'reset' | 'still open'
}

type SendOptions = {
  /** The number of final answers to wait for. Default: until the connection ends. */
  readonly answers?: number
  /** Milliseconds between two pieces. */
  readonly gap?: number
  readonly patience?: number
}

const LINGER = 300

/**
 * Sends the pieces one by one. After the last expected answer it waits a moment longer to see if
 * the connection ends.
 */
export const rawClient =
  (url: string) =>
  (
    pieces: readonly (string | Buffer)[],
    { answers = Number.POSITIVE_INFINITY, gap = 1, patience = 4_000 }: SendOptions = {},
  ): Promise<RawAnswer> =>
    new Promise((resolve) => {
      const socket = connect(Number(new URL(url).port), 'localhost')
      let text = ''
      const statuses = () =>
        [...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status))
      const finish = (end: RawAnswer['end']): void => {
        clearTimeout(timer)
        socket.destroy()
        resolve({ statuses: statuses(), text, end })
      }
      const timer = setTimeout(() => finish('still open'), patience)
      socket.on('data', (data) => {
        text += data.toString('latin1')
        if (statuses().filter((status) => status >= 200).length === answers)
          setTimeout(() => finish('still open'), LINGER)
      })
      socket.on('error', () => finish('reset'))
      socket.on('close', () => finish('closed'))
      socket.on('connect', async () => {
        for (const piece of pieces) {
          if (!socket.writable) return
          socket.write(piece)
          await new Promise((wait) => setTimeout(wait, gap))
        }
      })
    })

/** Where one complete message ends, or -1 if it is incomplete. Messages here are never chunked. */
export const endOfMessage = (received: string): number => {
  const head = received.indexOf('\r\n\r\n')
  if (head < 0) return -1
  const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? '0'
  const end = head + 4 + Number(length)
  return received.length >= end ? end : -1
}
