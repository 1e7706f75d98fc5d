// Broken HTTP responses, byte by byte, with the error that plazo must report for each.
import { ends, floods, HEAD, type Reply, replies, reset } from './raw-merchant.ts'

/** Responses that fail before their headers are complete, with the expected error. */
export const BROKEN_HEADS: readonly (readonly [what: string, reply: Reply, error: string])[] = [
  [
    'has interim answers without end',
    floods('', 'HTTP/1.1 103 \r\n\r\n'.repeat(1_000)),
    'response_too_large',
  ],
  ['is a reset', (socket) => socket.resetAndDestroy(), 'connection_reset'],
  ['is another protocol’s banner', replies('SSH-2.0-OpenSSH_9.9\r\n'), 'protocol_error'],
  [
    'has 40 KB in one header',
    replies(`${HEAD}X-Long: ${'x'.repeat(40_000)}\r\n\r\n`),
    'response_too_large',
  ],
  ['has headers without end', floods(`${HEAD}X-Long: `), 'response_too_large'],
  ['has a status of four digits', replies('HTTP/1.1 2000 OK\r\n\r\n'), 'protocol_error'],
  [
    'changes the protocol',
    replies('HTTP/1.1 101 Switch\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    'protocol_error',
  ],
]

/** Responses that fail in the body. The error applies only if plazo needs the body. */
export const BROKEN_BODIES: readonly (readonly [what: string, reply: Reply, error: string])[] = [
  ['is reset', reset(`${HEAD}Content-Length: 20\r\n\r\n{}`), 'connection_reset'],
  ['is shorter than it says', ends(`${HEAD}Content-Length: 20\r\n\r\n{}`), 'connection_reset'],
  [
    'is a byte too long',
    replies(`${HEAD}Content-Length: 65537\r\n\r\n${' '.repeat(65_537)}`),
    'response_too_large',
  ],
  ['has no end', floods(`${HEAD}\r\n`), 'response_too_large'],
]
