// Random bytes, drawn a few hundred at a time: each call into the system costs more than the bytes do.
import { randomFillSync } from 'node:crypto'

const pool = Buffer.allocUnsafeSlow(16_384)
let used = pool.length

/** To be copied at once: the next draws may come to the same place. */
export const drawBytes = (bytes: number): Buffer => {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.subarray(used - bytes, used)
}
