// Stores new orders in PostgreSQL, many in one statement. Each is written completely or not at all.
import { encodePlaced, type ReferenceTaken, type Step, type Store, type Unavailable, unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { type DataKey, encrypt } from '../../encryption/cipher.ts'
import { createCheckValue } from '../../encryption/key-check-values.ts'
import { AAD_ORDER_PAYLOAD, AAD_PLACED } from '../../sql/associated-data.ts'
import { batchCalls, CAPACITY } from '../../sql/batch-reads.ts'
import { bytesBeside } from '../bytes-beside.ts'
import { type Connection, isRowError, runOrUnavailable, type Statement } from '../connection/connection.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import { registerKeySql } from '../encryption/master-keys.ts'
import type { HandingOver } from '../handing-over.ts'
import type { OrderCache } from '../order-cache.ts'
import { bytesAfterOffer, type HandedRow, insertEffectsSql, instantSql } from '../sql/insert-effects.sql.ts'
import { toStepRows } from '../step-rows.ts'

// The statement's first five values are rows, and the master key with its proof.
const OFFER_POSITION = 6

const bytesSql = (number: string): string => bytesAfterOffer(OFFER_POSITION, number)

export const PLACE: Statement = {
  name: 'orders-place',
  text: `
with moment as materialized (${instantSql(OFFER_POSITION)}),
job as materialized (
  select * from json_to_recordset($1) as j(
    n integer, order_ref uuid, merchant_ref text, revision integer, snapshot integer, asks text, holds text, placed integer,
    payload integer, key_id text, tag bigint, sealed integer, waits_for text, waits_since bigint)),
free as materialized (
  select * from job j where not exists (
    select from plazo.held_references h
    where j.asks is not null and h.merchant_ref = j.merchant_ref and h.reference = j.asks)),
placed as (
  insert into plazo.orders (order_ref, merchant_ref, revision)
  select order_ref, merchant_ref, revision from free order by n
  on conflict do nothing returning order_ref, number),
done as materialized (select f.*, p.number from free f join placed p on p.order_ref = f.order_ref),
snapshots as (
  insert into plazo.snapshots (order_ref, snapshot) select order_ref, ${bytesSql('snapshot')} from done),
placements as (
  insert into plazo.placements (order_ref, placed, payload)
  select order_ref, ${bytesSql('placed')}, ${bytesSql('payload')} from done),
key_used as (${registerKeySql('$4', '$5')}),
keys as (
  insert into plazo.data_keys (order_ref, key_id, tag, sealed)
  select order_ref, key_id, tag, ${bytesSql('sealed')} from done),
waits as (
  insert into plazo.waiting (order_ref, number, why, since)
  select order_ref, number, waits_for, waits_since from done where waits_for is not null),
told as (
  insert into plazo.journal (order_ref, seq, at, event, detail, from_state, to_state, input)
  select l.order_ref, l.seq, l.at, l.event, l.detail, l.from_state, l.to_state, ${bytesSql('l.input')}
  from json_to_recordset($2) as l(
    order_ref uuid, seq integer, at bigint, event text, detail text, from_state text, to_state text, input integer)
  join done d on d.order_ref = l.order_ref),
added as (${insertEffectsSql('$3', OFFER_POSITION, 'n.order_ref in (select order_ref from done)', 'false')})
select j.n, j.order_ref, case
    when exists (select from done d where d.order_ref = j.order_ref) then 'done'
    when exists (select from free f where f.order_ref = j.order_ref) then 'there'
    else 'taken' end as came, null::bigint as id, null::text as token, null::bigint as first_at
from job j
union all
select null, order_ref, 'handed', id, token, first_at from added where token is not null`,
}

type PlaceOutcome = 'done' | 'there' | 'taken'

type Row =
  | { readonly n: number; readonly order_ref: string; readonly came: PlaceOutcome }
  | (HandedRow & { readonly came: 'handed' })

type PlaceResult = E.Either<ReferenceTaken | Unavailable, void>

type PlaceRequest = { readonly step: Step; readonly payload: string }

const BATCH_MAX = 64

export const createPlace = (
  { query }: Connection,
  dataKeys: DataKeys,
  orderCache: OrderCache,
  handing: HandingOver,
  capacity?: number,
): Store['place'] => {
  const [first] = dataKeys.cipher.keyIds
  const proof = createCheckValue(dataKeys.cipher)

  const toRows = ({ step, payload }: PlaceRequest, n: number) => {
    const { order } = step
    const { dataKey, sealed } = dataKeys.createKey(order.placed.orderRef)
    const { order: row, lines, effects } = toStepRows(step, order, dataKey)
    return {
      dataKey,
      job: {
        ...row,
        n,
        placed: encrypt(dataKey, AAD_PLACED, encodePlaced(order.placed)),
        payload: encrypt(dataKey, AAD_ORDER_PAYLOAD, payload),
        key_id: sealed.keyId,
        tag: sealed.tag,
        sealed: sealed.sealed,
      },
      lines,
      effects,
    }
  }

  const answer = ({ order, reference }: Step, dataKey: DataKey, came: PlaceOutcome | undefined): PlaceResult => {
    if (came === 'taken') return E.left({ _tag: 'ReferenceTaken', reference: reference ?? '' })
    if (came !== 'done') return unavailable(new Error('The order already exists.'))
    dataKeys.cacheKey(order.placed.orderRef, dataKey)
    orderCache.cache(order, dataKey)
    return E.right(undefined)
  }

  const placeAll = async (batch: readonly PlaceRequest[]): Promise<readonly PlaceResult[]> => {
    const rows = batch.map(toRows)
    const { json, value } = bytesBeside()
    const offered = handing.offer(rows.flatMap(({ effects }) => effects))
    try {
      const found = await query<Row>(
        PLACE,
        json(
          rows.map(({ job }) => job),
          'snapshot',
          'placed',
          'payload',
          'sealed',
        ),
        json(
          rows.flatMap(({ lines }) => lines),
          'input',
        ),
        json(offered.rows, 'work'),
        first,
        proof,
        ...offered.values,
        value(),
      )
      const handed = found.flatMap((row) => (row.came === 'handed' ? row : []))
      const came = new Map(found.flatMap((row) => (row.came === 'handed' ? [] : [[row.n, row.came]])))
      const done = new Set(found.flatMap((row) => (row.came === 'done' ? row.order_ref : [])))
      offered.committed(handed, (orderRef) => done.has(orderRef), Number.POSITIVE_INFINITY)
      return batch.map(({ step }, n) => answer(step, rows[n]?.dataKey as DataKey, came.get(n)))
    } catch (cause) {
      offered.failed()
      if (!isRowError(cause) || batch.length === 1) return batch.map(() => unavailable(cause))
      // One of them cannot be written, so each is tried alone.
      const alone: PlaceResult[] = []
      for (const request of batch) alone.push(...(await placeAll([request])))
      return alone
    }
  }

  const place = batchCalls(placeAll, BATCH_MAX, capacity ?? CAPACITY)
  return (step, payload) => runOrUnavailable(() => place({ step, payload }))
}
