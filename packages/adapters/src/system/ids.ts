// Uuids, codes and tokens from the system's source of randomness.
import { randomUUID } from 'node:crypto'
import type { Ids } from '@plazo/core'
import { drawBytes } from './random.ts'

const TOKEN_BYTES = 16
const CODES = 100_000

// Every code is equally likely: a number that would favour the low codes is drawn again.
const code = (): string => {
  for (;;) {
    const number = drawBytes(4).readUInt32BE()
    if (number < Math.floor(2 ** 32 / CODES) * CODES) return String(number % CODES).padStart(5, '0')
  }
}

export const systemIds: Ids = {
  orderRef: () => randomUUID(),
  random: () => ({ code: code(), token: drawBytes(TOKEN_BYTES).toString('base64url') }),
}
