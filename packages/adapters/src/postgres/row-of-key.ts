// Which row of the outbox an effect's key names. What no row can be named by is not asked for: PostgreSQL would refuse that
// as if the database were at fault.
import { effectKeyParts } from '@plazo/core'
import { isText, isUuid } from './connection.ts'

const INTEGER_MAX = 2 ** 31 - 1

/** Null: there is none. */
export const rowOfKey = (key: string): ReturnType<typeof effectKeyParts> | null => {
  const parts = effectKeyParts(key)
  return isUuid(parts.orderRef) && parts.revision <= INTEGER_MAX && isText(parts.lane) ? parts : null
}
