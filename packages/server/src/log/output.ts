// Keeps a log that cannot be written (its disk is full, its reader is gone) from stopping the server.
import { type DestinationStream, pino } from 'pino'

// Bytes that wait for the next line that can be written; anything beyond is lost.
const BUFFERED_BYTES_MAX = 2 ** 20

/** pino's own destination, but it ignores errors and omits pino's last flush, which would retry forever. */
export const logOutput = (fd: number): DestinationStream => {
  const output = pino.destination({ dest: fd, sync: true, maxLength: BUFFERED_BYTES_MAX })
  output.on('error', () => {})
  return { write: (line) => void output.write(line) }
}
