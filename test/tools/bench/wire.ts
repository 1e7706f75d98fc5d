// A keep-alive connection with one request in flight. It handles raw bytes as one character each
// (latin1), because a client that decodes and copies would use more of the machine than the
// measured servers.
import { connect } from 'node:net'
import { endOfMessage } from '../../harness/raw-http.ts'

export type Answer = { readonly status: number; readonly head: string; readonly body: string }

export type Wire = { readonly send: (request: string) => void; readonly close: () => void }

const bytesOf = (text: string): string => Buffer.from(text).toString('latin1')

export const request = (
  method: string,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    bytesOf(body),
  ].join('\r\n')

const answerIn = (received: string): Answer => {
  const head = received.indexOf('\r\n\r\n')
  return {
    status: Number(received.slice(9, 12)),
    head: received.slice(0, head),
    body: received.slice(head + 4),
  }
}

// Shared by all connections: each chunk is copied out before the next is read.
const buffer = Buffer.allocUnsafe(64 * 1024)

/**
 * `failed`: the connection can no longer be used, because of an error or because the server closed
 * it.
 */
export const openWire = (
  port: number,
  answered: (answer: Answer) => void,
  failed: (cause: Error) => void,
): Promise<Wire> =>
  new Promise((resolve, reject) => {
    const handleLoss = (cause: Error): void => {
      reject(cause)
      failed(cause)
    }
    let received = ''
    const socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer,
        callback: (length) => {
          received += buffer.toString('latin1', 0, length)
          if (endOfMessage(received) >= 0) {
            const whole = received
            received = ''
            answered(answerIn(whole))
          }
          return true
        },
      },
    })
    socket.once('error', handleLoss)
    socket.once('close', () =>
      handleLoss(new Error('The connection was closed before its answer.')),
    )
    socket.once('connect', () =>
      resolve({
        send: (bytes) => {
          socket.write(bytes, 'latin1')
        },
        close: () => socket.destroy(),
      }),
    )
  })
