// Draws random bytes from the system in large blocks, because each call into the system costs more than the bytes do.
import { randomFillSync } from 'node:crypto'

const pool = Buffer.allocUnsafeSlow(16_384)
let used = pool.length

/** Copy the bytes at once: later draws may overwrite them. */
export const drawBytes = (bytes: number): Buffer => {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.subarray(used - bytes, used)
}
