// Reads a PostgreSQL database at one instant, so that a run can be reconciled against consistent
// data.
import type { Keyring } from '@plazo/adapters/internal/encryption'
import pg from 'pg'
import {
  AAD_ORDER_PAYLOAD,
  AAD_PLACED,
  aadForInput,
  aadForPayload,
  aadForSnapshot,
  aadForStuckMessage,
  createCipher,
  type EncryptedDataKey,
} from '../../../packages/adapters/src/encryption/cipher.ts'
import { createSealer } from '../../../packages/adapters/src/store/seal.ts'
import {
  type DatabaseSnapshot,
  type Line,
  messagesOf,
  type OutboxRow,
  type StoredRow,
} from './sqlite-snapshot.ts'

type NumberedRow = EncryptedDataKey & { readonly order_ref: string; readonly number: number }

const OF_ORDER =
  'o.order_ref, o.id::integer as number, k.key_id as "keyId", k.tag::float8 as tag, k.ciphertext'
const JOINED = 'join plazo.data_keys k using (order_id) join plazo.orders o on o.id = order_id'

// Errors that no lane shows.
const BROKEN = `
  select 'a delivery of order ' || b.order_id || ' counts ' || b.attempts || ' attempts, and has ' || count(a.n) as what
  from plazo.outbox b left join plazo.attempts a on a.order_id = b.order_id and a.job = b.n
  where b.queue <> 'work' and b.resend_of is null group by b.order_id, b.n having b.attempts <> count(a.n)
  union all
  select 'the schema was made twice' from plazo.schema_version having count(*) <> 1`

/** Reads everything at one instant. It checks for broken rows, so nothing may be in flight. */
export const postgresSnapshot = async (
  url: string,
  keyring: Keyring,
): Promise<DatabaseSnapshot> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const rows = async <Row>(sql: string): Promise<readonly Row[]> =>
    (await client.query(sql)).rows as Row[]
  try {
    await client.query('begin isolation level repeatable read read only')
    const sealer = createSealer(createCipher(keyring))
    const open = (row: NumberedRow, place: string, blob: Buffer): string =>
      sealer.open(row.order_ref, row, place, blob)

    const orders = (
      await rows<
        NumberedRow & { revision: number; placed: Buffer; payload: Buffer; snapshot: Buffer }
      >(
        `select ${OF_ORDER}, o.revision, p.placed, p.payload, s.snapshot from plazo.placements p ${JOINED}
         join plazo.snapshots s using (order_id) order by o.id`,
      )
    ).map(
      (row): StoredRow => ({
        id: row.number,
        orderRef: row.order_ref,
        revision: row.revision,
        placed: open(row, AAD_PLACED, row.placed),
        snapshot: open(row, aadForSnapshot(row.revision), row.snapshot),
        payload: open(row, AAD_ORDER_PAYLOAD, row.payload),
      }),
    )
    const lines = Map.groupBy(
      await rows<NumberedRow & Omit<Line, 'input'> & { input: Buffer | null }>(
        `select ${OF_ORDER}, j.seq, j.at::float8 as at, j.event, j.detail, j.from_state as "from", j.to_state as "to", j.input
         from plazo.journal j ${JOINED} order by o.id, j.seq`,
      ),
      ({ number }) => number,
    )
    const outbox = (
      await rows<
        NumberedRow &
          Omit<OutboxRow, 'work' | 'message'> & { n: number; work: Buffer; message: Buffer | null }
      >(
        `select ${OF_ORDER}, b.n, b.revision, b.lane, b.queue, b.work, b.state, b.message
         from plazo.outbox b ${JOINED} order by b.id`,
      )
    ).map(
      (row): OutboxRow => ({
        orderId: row.number,
        revision: row.revision,
        lane: row.lane,
        queue: row.queue,
        work: row.work.toString().startsWith('{')
          ? row.work.toString()
          : open(row, aadForPayload(row.revision, row.lane), row.work),
        state: row.state,
        message: row.message && open(row, aadForStuckMessage(row.n), row.message),
      }),
    )
    const messages = messagesOf(
      (
        await rows<NumberedRow & { at: number; content: Buffer }>(
          `select ${OF_ORDER}, m.at::float8 as at, m.content from plazo.records m ${JOINED} where m.kind = 'message' order by m.id`,
        )
      ).map((row) => open(row, `record message ${row.at}`, row.content)),
    )
    const [cards] = await rows<{ owners: number }>(
      `select count(distinct substr(key, 1, 64))::integer as owners from plazo.records where kind = 'card'`,
    )
    const broken = await rows<{ what: string }>(BROKEN)
    return {
      orders: () => orders,
      lines: (orderId) =>
        (lines.get(orderId) ?? []).map((row) => ({
          seq: row.seq,
          at: row.at,
          event: row.event,
          detail: row.detail,
          from: row.from,
          to: row.to,
          input: row.input && open(row, aadForInput(row.seq), row.input),
        })),
      outbox: () => outbox,
      messages: () => messages,
      cardOwners: () => cards?.owners ?? 0,
      integrity: () => (broken.length === 0 ? 'ok' : broken.map(({ what }) => what).join('; ')),
      close: () => {},
    }
  } finally {
    await client.end()
  }
}
