// The sandbox's own data, in the same PostgreSQL database. Messages are written, and cards looked up, many in one statement.
// If the shopper's data was erased meanwhile, and with it the data key, nothing is written under that key.
import type { SavedCard, Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { aadForCard, aadForSms, type DataKey, encrypt } from '../encryption/cipher.ts'
import type { KeyedHash } from '../encryption/key-check-values.ts'
import type { SandboxMessage, SandboxStore } from '../sandbox/sandbox-store.ts'
import { batchCalls, batchReads } from '../sql/batch-reads.ts'
import { type Connection, isUuid, runOrUnavailable, type Statement } from './connection/connection.ts'
import type { DataKeys, KeyColumns } from './encryption/data-keys.ts'
import { bytes, encodeRows } from './sql/json-rows.ts'

type MessageContent = Pick<SandboxMessage, 'to' | 'text' | 'code'>
type MessageRow = KeyColumns & { readonly key: string; readonly at: number; readonly message: Buffer }
type CardRow = KeyColumns & {
  readonly owner: Buffer
  readonly order_ref: string
  readonly name: Buffer
  readonly card: Buffer
}
type KeyRow = KeyColumns & { readonly order_ref: string }

type NewMessage = {
  readonly order_ref: string
  readonly tag: number
  readonly key: string
  readonly at: number
  readonly message: Buffer
}

const READ_KEYS: Statement = {
  name: 'data-keys',
  text: 'select order_ref, key_id, tag, sealed from plazo.data_keys where order_ref = any ($1::uuid[])',
}

const ADD: Statement = {
  name: 'sandbox-messages-add',
  text: `
    with job as materialized (
      select j.* from json_to_recordset($1) as j(
        n integer, order_ref uuid, tag bigint, key text, at bigint, message text)
      join plazo.data_keys k on k.order_ref = j.order_ref and k.tag = j.tag),
    added as (
      insert into plazo.sandbox_messages (order_ref, key, at, message)
      select order_ref, key, at, ${bytes('message')} from job order by n
      on conflict do nothing)
    select n from job`,
}

const MESSAGES: Statement = {
  name: 'sandbox-messages',
  text: `
    select m.key, m.at, m.message, k.key_id, k.tag, k.sealed
    from plazo.sandbox_messages m join plazo.data_keys k on k.order_ref = m.order_ref
    where m.order_ref = $1 order by m.id`,
}

const KEEP_CARD: Statement = {
  name: 'sandbox-card-keep',
  text: `
    insert into plazo.sandbox_cards (owner, name, order_ref, card)
    select $3, $4, k.order_ref, $5 from plazo.data_keys k where k.order_ref = $1 and k.tag = $2
    on conflict (owner, name) do update set id = default, order_ref = excluded.order_ref, card = excluded.card
    returning order_ref`,
}

const CARDS: Statement = {
  name: 'sandbox-cards',
  text: `
    select c.owner, c.order_ref, c.name, c.card, k.key_id, k.tag, k.sealed
    from plazo.sandbox_cards c join plazo.data_keys k on k.order_ref = c.order_ref
    where c.owner = any ($1::bytea[]) order by c.id`,
}

const CLOCK: Statement = { name: 'sandbox-clock', text: 'select ahead from plazo.sandbox_clock' }

const MOVE_CLOCK: Statement = {
  name: 'sandbox-clock-move',
  text: `
    insert into plazo.sandbox_clock as c (only_one, ahead) values (true, $1)
    on conflict (only_one) do update set ahead = c.ahead + excluded.ahead returning ahead`,
}

const BATCH_MAX = 128

const DONE = E.right(undefined)

export const postgresSandboxStore = ({ query }: Connection, dataKeys: DataKeys, keyedHash: KeyedHash): SandboxStore => {
  const readKey = batchReads(
    isUuid,
    async (orderRefs) => {
      const rows = await query<KeyRow>(READ_KEYS, orderRefs)
      return new Map(rows.map((row) => [row.order_ref, row]))
    },
    BATCH_MAX,
  )

  const orderMissingError = (orderRef: string): Error =>
    new Error(`Order ${orderRef} does not exist, or its shopper was erased.`)

  const findKey = async (orderRef: string): Promise<DataKey> => {
    const known = dataKeys.cachedKey(orderRef)
    if (known !== undefined) return known
    const row = await readKey(orderRef)
    if (row === undefined) throw orderMissingError(orderRef)
    return dataKeys.decryptKeyColumns(orderRef, row)
  }

  /** Returns for each message whether it is stored now. */
  const addMessages = batchCalls(async (messages: readonly NewMessage[]): Promise<readonly boolean[]> => {
    const jobs = messages.map((message, n) => ({ n, ...message }))
    const rows = await query<{ readonly n: number }>(ADD, encodeRows(jobs))
    const there = new Set(rows.map(({ n }) => n))
    return jobs.map(({ n }) => there.has(n))
  }, BATCH_MAX)

  const cardsOf = batchReads(
    () => true,
    async (owners) => {
      const rows = await query<CardRow>(
        CARDS,
        owners.map((owner) => Buffer.from(owner, 'hex')),
      )
      return Map.groupBy(rows, ({ owner }) => owner.toString('hex'))
    },
    BATCH_MAX,
  )

  return {
    addMessage: ({ key, orderRef, at, ...content }) =>
      runOrUnavailable(async () => {
        const dataKey = await findKey(orderRef)
        const message = encrypt(dataKey, aadForSms(key), JSON.stringify(content))
        if (!(await addMessages({ order_ref: orderRef, tag: dataKey.tag, key, at, message })))
          throw orderMissingError(orderRef)
        return DONE
      }),

    messages: (orderRef) =>
      runOrUnavailable(async (): Promise<E.Either<Unavailable, readonly SandboxMessage[]>> => {
        const rows = isUuid(orderRef) ? await query<MessageRow>(MESSAGES, orderRef) : []
        return E.right(
          rows.map(({ key, at, message, ...columns }) => ({
            key,
            orderRef,
            at,
            ...(JSON.parse(
              dataKeys.decrypt(dataKeys.decryptKeyColumns(orderRef, columns), aadForSms(key), message),
            ) as MessageContent),
          })),
        )
      }),

    keepCard: (orderRef, owner, card) =>
      runOrUnavailable(async () => {
        const dataKey = await findKey(orderRef)
        const name = keyedHash(JSON.stringify([owner, card.token]))
        const encrypted = encrypt(dataKey, aadForCard(name), JSON.stringify(card))
        const kept = await query(KEEP_CARD, orderRef, dataKey.tag, keyedHash(owner), name, encrypted)
        if (kept.length === 0) throw orderMissingError(orderRef)
        return DONE
      }),

    cards: (owner) =>
      runOrUnavailable(async () => {
        const rows = await cardsOf(keyedHash(owner).toString('hex'))
        return E.right(
          (rows ?? []).map(
            ({ order_ref, name, card, ...columns }) =>
              JSON.parse(
                dataKeys.decrypt(dataKeys.decryptKeyColumns(order_ref, columns), aadForCard(name), card),
              ) as SavedCard,
          ),
        )
      }),

    clockOffset: () =>
      runOrUnavailable(async () => E.right((await query<{ readonly ahead: number }>(CLOCK))[0]?.ahead ?? 0)),

    moveClock: (millis) =>
      runOrUnavailable(async () =>
        E.right((await query<{ readonly ahead: number }>(MOVE_CLOCK, millis))[0]?.ahead ?? 0),
      ),
  }
}
