// Uuids, codes and tokens from the system's source of randomness.
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { Ids } from '@plazo/core'

export const systemIds: Ids = {
  orderRef: () => randomUUID(),
  fresh: () => ({
    code: String(randomInt(100_000)).padStart(5, '0'),
    token: randomBytes(16).toString('base64url'),
  }),
}
