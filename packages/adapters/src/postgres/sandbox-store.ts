// The sandbox's own data, in the same PostgreSQL database. Messages are written, and cards looked
// up, many in one statement. If the shopper's data was erased meanwhile, and with it the data key,
// nothing is written under that key.
import type { SavedCard } from '@plazo/core/protocol'
import {
  aadForCard,
  aadForRecord,
  aadForSms,
  type DataKey,
  decrypt,
  encrypt,
  isEncrypted,
  RECORDS_WITHOUT_ORDER,
  recordKey,
} from '../encryption/cipher.ts'
import type { KeyedHash } from '../encryption/master-keys.ts'
import type { SandboxMessage, SandboxRecord, SandboxStore } from '../sandbox/sandbox-store.ts'
import { batchCalls, batchReads } from '../sql/batch-reads.ts'
import { type Connection, statement } from './connection/connection.ts'
import type { DataKeys, KeyColumns } from './encryption/data-keys.ts'
import { bytes, isUuid } from './sql/values.ts'
import { answerOrUnavailable } from './unavailable.ts'

type MessageContent = Pick<SandboxMessage, 'to' | 'text' | 'code'>
type MessageRow = KeyColumns & {
  readonly key: string
  readonly at: number
  readonly message: Buffer
}
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
  /** Base64. */
  readonly message: string
}

const READ_KEYS = statement('data-keys')`
  select order_ref, key_id, tag, ciphertext from plazo.data_keys where order_ref = any ($1::uuid[])`

const ADD = statement('sandbox-messages-add')`
  with job as materialized (
    select j.* from json_to_recordset($1) as j(
      n integer, order_ref uuid, tag bigint, key text, at bigint, message text)
    join plazo.data_keys k on k.order_ref = j.order_ref and k.tag = j.tag),
  inserted_messages as (
    insert into plazo.sandbox_messages (order_ref, key, at, message)
    select order_ref, key, at, ${bytes('message')} from job order by n
    on conflict do nothing)
  select n from job`

const MESSAGES = statement('sandbox-messages')`
  select m.key, m.at, m.message, k.key_id, k.tag, k.ciphertext
  from plazo.sandbox_messages m join plazo.data_keys k on k.order_ref = m.order_ref
  where m.order_ref = $1 order by m.id`

const KEEP_CARD = statement('sandbox-card-keep')`
  insert into plazo.sandbox_cards (owner, name, order_ref, card)
  select $3, $4, k.order_ref, $5 from plazo.data_keys k where k.order_ref = $1 and k.tag = $2
  on conflict (owner, name) do update set id = default, order_ref = excluded.order_ref, card = excluded.card
  returning order_ref`

const CARDS = statement('sandbox-cards')`
  select c.owner, c.order_ref, c.name, c.card, k.key_id, k.tag, k.ciphertext
  from plazo.sandbox_cards c join plazo.data_keys k on k.order_ref = c.order_ref
  where c.owner = any ($1::bytea[]) order by c.id`

// A record of an order is added only while the order's data key is the one that encrypted it.
const ADD_RECORD = statement('sandbox-record-add')`
  insert into plazo.sandbox_records (order_ref, merchant_ref, kind, at, content)
  select $1::uuid, $3, $4, $5, $6
  where $1::uuid is null or exists (select 1 from plazo.data_keys where order_ref = $1::uuid and tag = $2)
  returning id`

const TRIM_RECORDS = statement('sandbox-records-trim')`
  delete from plazo.sandbox_records where merchant_ref = $1 and kind = $2 and id <= (
    select id from plazo.sandbox_records where merchant_ref = $1 and kind = $2 order by id desc limit 1 offset $3)`

const RECORDS = `
  select r.id, r.order_ref as "orderRef", r.merchant_ref as "merchantRef", r.kind, r.at, r.content, k.key_id, k.tag, k.ciphertext
  from plazo.sandbox_records r left join plazo.data_keys k on k.order_ref = r.order_ref`

const RECORDS_OF_ORDER = statement('sandbox-records-of-order')`
  ${RECORDS} where r.order_ref = $1 and r.id > $2 order by r.id limit $3`

const RECORDS_OF_KIND = statement('sandbox-records-of-kind')`
  ${RECORDS} where r.merchant_ref = $1 and r.kind = $2 and r.id > $3 order by r.id limit $4`

type RecordRow = KeyColumns & Omit<SandboxRecord, 'content'> & { readonly content: Buffer }

const SET_SETTING = statement('sandbox-setting-set')`
  insert into plazo.sandbox_settings (merchant_ref, name, value) values ($1, $2, $3)
  on conflict (merchant_ref, name) do update set value = excluded.value`

const REMOVE_SETTING = statement('sandbox-setting-remove')`
  delete from plazo.sandbox_settings where merchant_ref = $1 and name = $2`

const SETTINGS = statement('sandbox-settings')`
  select merchant_ref as "merchantRef", name, value from plazo.sandbox_settings
  where starts_with(name, $1) order by merchant_ref collate "C", name collate "C"`

type SettingRow = { readonly merchantRef: string; readonly name: string; readonly value: string }

type ClockRow = { readonly ahead: number }

const CLOCK = statement('sandbox-clock')`select ahead from plazo.sandbox_clock`

const MOVE_CLOCK = statement('sandbox-clock-move')`
  insert into plazo.sandbox_clock as c (only_one, ahead) values (true, $1)
  on conflict (only_one) do update set ahead = c.ahead + excluded.ahead returning ahead`

const BATCH_MAX = 128

export const postgresSandboxStore = (
  { query }: Connection,
  dataKeys: DataKeys,
  keyedHash: KeyedHash,
): SandboxStore => {
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
    const cached = dataKeys.cachedKey(orderRef)
    if (cached !== undefined) return cached
    const row = await readKey(orderRef)
    if (row === undefined) throw orderMissingError(orderRef)
    return dataKeys.decryptKeyColumns(orderRef, row)
  }

  /** Returns for each message whether it is stored now. */
  const addMessages = batchCalls(
    async (messages: readonly NewMessage[]): Promise<readonly boolean[]> => {
      const jobs = messages.map((message, n) => ({ n, ...message }))
      const rows = await query<{ readonly n: number }>(ADD, JSON.stringify(jobs))
      const there = new Set(rows.map(({ n }) => n))
      return jobs.map(({ n }) => there.has(n))
    },
    BATCH_MAX,
  )

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

  const keyOfOthers = recordKey(keyedHash(RECORDS_WITHOUT_ORDER))

  const toRecord = ({ key_id, tag, ciphertext, content, ...record }: RecordRow): SandboxRecord => {
    const { orderRef, kind, at } = record
    const columns = { key_id, tag, ciphertext }
    const aad = aadForRecord(kind, at)
    if (orderRef !== null)
      return { ...record, content: dataKeys.decrypt(orderRef, columns, aad, content) }
    return {
      ...record,
      content: isEncrypted(content) ? decrypt(keyOfOthers, aad, content) : content.toString(),
    }
  }

  return {
    addMessage: ({ key, orderRef, at, ...content }) =>
      answerOrUnavailable(async () => {
        const dataKey = await findKey(orderRef)
        const message = encrypt(dataKey, aadForSms(key), JSON.stringify(content)).toString('base64')
        const isStored = await addMessages({
          order_ref: orderRef,
          tag: dataKey.tag,
          key,
          at,
          message,
        })
        if (!isStored) throw orderMissingError(orderRef)
      }),

    messages: (orderRef) =>
      answerOrUnavailable(async () => {
        const rows = isUuid(orderRef) ? await query<MessageRow>(MESSAGES, orderRef) : []
        return rows.map(({ key, at, message, ...columns }) => ({
          key,
          orderRef,
          at,
          ...(JSON.parse(
            dataKeys.decrypt(orderRef, columns, aadForSms(key), message),
          ) as MessageContent),
        }))
      }),

    keepCard: (orderRef, owner, card) =>
      answerOrUnavailable(async () => {
        const dataKey = await findKey(orderRef)
        const name = keyedHash(JSON.stringify([owner, card.token]))
        const encrypted = encrypt(dataKey, aadForCard(name), JSON.stringify(card))
        const rows = await query(
          KEEP_CARD,
          orderRef,
          dataKey.tag,
          keyedHash(owner),
          name,
          encrypted,
        )
        if (rows.length === 0) throw orderMissingError(orderRef)
      }),

    cards: (owner) =>
      answerOrUnavailable(async () => {
        const rows = (await cardsOf(keyedHash(owner).toString('hex'))) ?? []
        return rows.map(
          ({ order_ref, name, card, ...columns }) =>
            JSON.parse(dataKeys.decrypt(order_ref, columns, aadForCard(name), card)) as SavedCard,
        )
      }),

    clockOffset: () =>
      answerOrUnavailable(async () => (await query<ClockRow>(CLOCK))[0]?.ahead ?? 0),

    moveClock: (millis) =>
      answerOrUnavailable(async () => (await query<ClockRow>(MOVE_CLOCK, millis))[0]?.ahead ?? 0),

    addRecord: ({ merchantRef, orderRef, kind, at, content }, keepLast) =>
      answerOrUnavailable(async () => {
        const dataKey = orderRef === null ? keyOfOthers : await findKey(orderRef)
        const stored = encrypt(dataKey, aadForRecord(kind, at), content)
        const added = await query(ADD_RECORD, orderRef, dataKey.tag, merchantRef, kind, at, stored)
        if (added.length === 0) throw orderMissingError(orderRef ?? '')
        if (keepLast !== undefined) await query(TRIM_RECORDS, merchantRef, kind, keepLast)
      }),

    records: (filter, after, limit) =>
      answerOrUnavailable(async () => {
        if ('orderRef' in filter && !isUuid(filter.orderRef)) return []
        const rows = await ('kind' in filter
          ? query<RecordRow>(RECORDS_OF_KIND, filter.merchantRef, filter.kind, after, limit)
          : query<RecordRow>(RECORDS_OF_ORDER, filter.orderRef, after, limit))
        return rows.map(toRecord)
      }),

    setSetting: (merchantRef, name, value) =>
      answerOrUnavailable(async () => {
        if (value === null) await query(REMOVE_SETTING, merchantRef, name)
        else await query(SET_SETTING, merchantRef, name, value)
      }),

    settings: (prefix) => answerOrUnavailable(() => query<SettingRow>(SETTINGS, prefix)),
  }
}
