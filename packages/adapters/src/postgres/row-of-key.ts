// Finds the outbox row that an effect's key names. A key that no row can have is not sent to PostgreSQL, which would refuse it
// with an error that looks like a fault of the database.
import { effectKeyParts } from '@plazo/core'
import { isText, isUuid } from './connection.ts'

const INTEGER_MAX = 2 ** 31 - 1

/** Null if no row can have this key. */
export const parseEffectKey = (key: string): ReturnType<typeof effectKeyParts> | null => {
  const parts = effectKeyParts(key)
  return isUuid(parts.orderRef) && parts.revision <= INTEGER_MAX && isText(parts.lane) ? parts : null
}
