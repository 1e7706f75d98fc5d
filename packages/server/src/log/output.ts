// Where the log goes. One that cannot be written (its disk is full, its reader is gone) never stops what it tells of.
import { type DestinationStream, pino } from 'pino'

// What waits for the next line that can be written; what is beyond is lost.
const KEPT_BYTES = 2 ** 20

/** pino's own, but for its errors, and for its last flush, which would try for ever. */
export const logOutput = (fd: number): DestinationStream => {
  const output = pino.destination({ dest: fd, sync: true, maxLength: KEPT_BYTES })
  output.on('error', () => {})
  return { write: (line) => void output.write(line) }
}
