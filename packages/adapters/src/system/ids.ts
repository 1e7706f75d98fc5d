// Uuids, codes and tokens from the system's source of randomness.
import { randomBytes, randomUUID } from 'node:crypto'
import type { Ids } from '@plazo/core'

const TOKEN_BYTES = 16
const CODES = 100_000

// Drawn a few hundred at a time: each call into the system costs more than the bytes do.
const pool = (size: number): ((bytes: number) => Buffer) => {
  let drawn = randomBytes(size)
  let used = 0
  return (bytes) => {
    if (used + bytes > drawn.length) {
      drawn = randomBytes(size)
      used = 0
    }
    used += bytes
    return drawn.subarray(used - bytes, used)
  }
}

const draw = pool(8192)

// Every code is equally likely: what would favour the low ones is drawn again.
const code = (): string => {
  for (;;) {
    const number = draw(4).readUInt32BE()
    if (number < Math.floor(2 ** 32 / CODES) * CODES) return String(number % CODES).padStart(5, '0')
  }
}

export const systemIds: Ids = {
  orderRef: () => randomUUID(),
  fresh: () => ({ code: code(), token: draw(TOKEN_BYTES).toString('base64url') }),
}
