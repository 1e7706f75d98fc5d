// The parts that all simulated worlds share: addresses, settings, merchants, and the initial database.

import { openSqlite } from '@plazo/adapters/sqlite'
import type { Ids } from '@plazo/core'
import { type Config, compose, readConfig } from '@plazo/server'
import * as E from 'fp-ts/lib/Either.js'
import { openDatabase } from '../../packages/adapters/src/sqlite/schema/database.ts'
import { addMerchants } from '../harness/merchants.ts'
import { keyringOf } from '../harness/secret-keys.ts'
import type { SeededRandom } from '../harness/seeded-random.ts'

export const URL_OF_US = 'http://localhost:3000'
export const URL_OF_MERCHANTS = 'http://127.0.0.1:9999'
export const EPOCH = Date.UTC(2026, 0, 5)

export const keyring = keyringOf(`simulated:${Buffer.alloc(32, 7).toString('base64')}`)

export const config: Config = (() => {
  const read = readConfig({ DATABASE_URL: 'sqlite::memory:', WEBHOOK_JITTER: '0.1', RETAIN_DELIVERIES: 'forever' })
  if (E.isLeft(read)) throw new Error(read.left.join('\n'))
  return { ...read.right, keyring }
})()

/** The initial database of every world. */
const makeTemplate = async (): Promise<Buffer> => {
  const database = openDatabase(':memory:')
  const home = openSqlite(':memory:', { database, keyring })
  await addMerchants(home.merchants)
  let image = database.serialize()
  const settled = openDatabase(image)
  Object.assign(settled, {
    close: () => {
      image = settled.serialize()
    },
  })
  // The sandbox adds its own merchant at its first start.
  const plazo = await compose(config, URL_OF_US, () => {}, { database: settled })
  await plazo.stop()
  return image
}

let template: Promise<Buffer> | null = null

/** Created once and shared by all worlds. */
export const firstImage = (): Promise<Buffer> => {
  template ??= makeTemplate()
  return template
}

export const idsOf = (draw: SeededRandom): Ids => {
  const hex = (digits: number): string => Array.from({ length: digits }, () => draw.below(16).toString(16)).join('')
  return {
    orderRef: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    random: () => ({ code: String(draw.below(100_000)).padStart(5, '0'), token: hex(22) }),
  }
}
