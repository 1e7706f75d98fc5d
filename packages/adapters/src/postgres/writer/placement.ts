// Stores new orders in PostgreSQL, many in one statement. Each is written completely or not at all.
import type { Step } from '@plazo/core'
import {
  encodePlaced,
  type FullStore,
  type ReferenceTaken,
  type Unavailable,
  unavailable,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { AAD_ORDER_PAYLOAD, AAD_PLACED, encrypt } from '../../encryption/cipher.ts'
import { createCheckValue } from '../../encryption/master-keys.ts'
import { type Committed, type Encoded, groupCommit, type Outcome } from '../../sql/group-commit.ts'
import type { CommitListeners } from '../../sql/storage.ts'
import { type Connection, statement } from '../connection/connection.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import { registerKeySql } from '../encryption/master-keys.ts'
import type { OrderCache } from '../order-cache.ts'
import { bytes, encodeNumbered } from '../sql/values.ts'
import {
  FACT_DEFINITIONS,
  FACTS,
  insertEffectsSql,
  insertLinesSql,
} from '../sql/write-orders.sql.ts'
import { toStepRows } from '../step-rows.ts'
import { commitOrSplit } from '../write-queue.ts'
import { firstDueAt } from './orders.ts'

export const PLACE = statement('orders-place')`
with
input_rows as materialized (
  select * from json_to_recordset($1) as j(
    n integer, order_ref uuid, merchant_ref text, revision integer, snapshot text, requested_reference text, held_reference text, placed text,
    payload text, key_id text, tag bigint, ciphertext text, operator_task text, task_since bigint,
    ${FACT_DEFINITIONS})),
unreserved_orders as materialized (
  select * from input_rows j where not exists (
    select from plazo.held_references h
    where j.requested_reference is not null and h.merchant_ref = j.merchant_ref and h.reference = j.requested_reference)),
placed_orders as (
  insert into plazo.orders (order_ref, merchant_ref, revision, ${FACTS.join(', ')}, facts_revision, has_facts)
  select order_ref, merchant_ref, revision, ${FACTS.join(', ')}, revision, true from unreserved_orders order by n
  on conflict do nothing returning order_ref, number),
accepted_orders as materialized (select f.*, p.number from unreserved_orders f join placed_orders p on p.order_ref = f.order_ref),
inserted_snapshots as (
  insert into plazo.snapshots (order_ref, snapshot) select order_ref, ${bytes('snapshot')} from accepted_orders),
inserted_placements as (
  insert into plazo.placements (order_ref, placed, payload)
  select order_ref, ${bytes('placed')}, ${bytes('payload')} from accepted_orders),
registered_key as (${registerKeySql('$4', '$5')}),
inserted_keys as (
  insert into plazo.data_keys (order_ref, key_id, tag, ciphertext)
  select order_ref, key_id, tag, ${bytes('ciphertext')} from accepted_orders),
opened_tasks as (
  insert into plazo.operator_tasks (order_ref, number, why, since)
  select order_ref, number, operator_task, task_since from accepted_orders where operator_task is not null),
journal_lines as (${insertLinesSql('$2')}),
inserted_effects as (${insertEffectsSql('$3', 'false')})
select j.n, j.order_ref, case
    when exists (select from accepted_orders d where d.order_ref = j.order_ref) then 'done'
    when exists (select from unreserved_orders f where f.order_ref = j.order_ref) then 'exists'
    else 'reference_taken' end as outcome
from input_rows j`

type PlaceOutcome = 'done' | 'exists' | 'reference_taken'

type Row = { readonly n: number; readonly order_ref: string; readonly outcome: PlaceOutcome }

type PlaceWrite = { readonly step: Step; readonly payload: string }

const BATCH_MAX = 64

export const openPlacements = (
  { query }: Connection,
  dataKeys: DataKeys,
  orderCache: OrderCache,
  { notify }: Pick<CommitListeners, 'notify'>,
  capacity?: number,
) => {
  const proof = createCheckValue(dataKeys.cipher)

  const toRows = ({ step, payload }: PlaceWrite) => {
    const { order } = step
    const { dataKey, encryptedKey } = dataKeys.cipher.createKey(order.placed.orderRef)
    const { order: row, lines, effects } = toStepRows(step, { order, key: dataKey })
    return {
      dataKey,
      row: {
        ...row,
        placed: encrypt(dataKey, AAD_PLACED, encodePlaced(order.placed)).toString('base64'),
        payload: encrypt(dataKey, AAD_ORDER_PAYLOAD, payload).toString('base64'),
        key_id: encryptedKey.keyId,
        tag: encryptedKey.tag,
        ciphertext: encryptedKey.ciphertext.toString('base64'),
      },
      lines,
      effects,
    }
  }

  const commit = async (
    writes: readonly Encoded<PlaceWrite, ReturnType<typeof toRows>>[],
  ): Promise<Committed<PlaceOutcome>> => {
    const effects = writes.flatMap(({ rows }) => rows.effects)
    const placedRows = await query<Row>(
      PLACE,
      encodeNumbered(writes.map(({ rows }) => rows.row)),
      JSON.stringify(writes.flatMap(({ rows }) => rows.lines)),
      encodeNumbered(effects),
      dataKeys.cipher.keyIds[0],
      proof,
    )
    const outcomes = new Map(placedRows.map((row) => [row.n, row.outcome]))
    const placed = new Set(
      placedRows.flatMap((row) => (row.outcome === 'done' ? row.order_ref : [])),
    )
    const nextDueAt = firstDueAt(effects.filter(({ order_ref }) => placed.has(order_ref)))
    const reported = writes.map(
      ({ write: { step }, rows: { dataKey } }, n): Outcome<PlaceOutcome> => {
        const result = outcomes.get(n) ?? 'exists'
        if (result === 'done') {
          dataKeys.cacheKey(step.order.placed.orderRef, dataKey)
          orderCache.add(step, dataKey)
        }
        return { type: 'committed', result }
      },
    )
    return { outcomes: reported, nextDueAt }
  }

  const queue = groupCommit({
    encode: toRows,
    commit: commitOrSplit(commit),
    notify,
    capacity,
    maxBatch: BATCH_MAX,
  })

  const place: FullStore['place'] = (step, payload) => async () =>
    E.flattenW(
      await queue.run({
        key: null,
        plan: () => ({
          type: 'write',
          write: { step, payload },
          answer: (result): E.Either<ReferenceTaken | Unavailable, void> => {
            if (result === 'reference_taken')
              return E.left({ _tag: 'ReferenceTaken', reference: step.reference ?? '' })
            return result === 'done'
              ? E.right(undefined)
              : unavailable('internal_error', 'The order already exists.')
          },
        }),
      }),
    )

  return { place, close: queue.close }
}
