// Draws random bytes from the system in large blocks, because each call into the system costs more than the bytes do.
import { randomFillSync, randomUUID } from 'node:crypto'
import type { Ids } from '@plazo/core'

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

const TOKEN_BYTES = 16
const CODES = 100_000

// Every code is equally likely: a number that would favour the low codes is drawn again.
const code = (): string => {
  for (;;) {
    const number = drawBytes(4).readUInt32BE()
    if (number < Math.floor(2 ** 32 / CODES) * CODES) return String(number % CODES).padStart(5, '0')
  }
}

/** Uuids, codes and tokens from the system's source of randomness. */
export const systemIds: Ids = {
  orderRef: () => randomUUID(),
  random: () => ({ code: code(), token: drawBytes(TOKEN_BYTES).toString('base64url') }),
}
