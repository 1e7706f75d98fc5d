// New orders in PostgreSQL: many in one statement, each whole or not at all.
import { encodePlaced, type ReferenceTaken, type Step, type Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { proofOfKey } from '../sealing/key-proofs.ts'
import { seal } from '../sealing/sealer.ts'
import { asBase64, type Connection, isOfTheRows, messageOf, type Statement, unavailable } from './connection.ts'
import { keyIsUsed } from './master-keys.ts'
import type { OrderReading } from './order-reading.ts'
import { PAYLOAD, PLACED } from './places.ts'
import { rowsOfStep } from './rows-of-step.ts'
import type { Vault } from './vault.ts'

const PLACE: Statement = {
  name: 'orders-place',
  text: `
with job as materialized (
  select * from json_to_recordset($1) as j(
    n integer, order_ref uuid, merchant_ref text, revision integer, snapshot text, asks text, holds text, placed text,
    payload text, key_id text, tag bigint, sealed text, waits_for text, waits_since bigint)),
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
  insert into plazo.snapshots (order_ref, snapshot) select order_ref, decode(snapshot, 'base64') from done),
placements as (
  insert into plazo.placements (order_ref, placed, payload)
  select order_ref, decode(placed, 'base64'), decode(payload, 'base64') from done),
key_used as (${keyIsUsed('$4', '$5')}),
keys as (
  insert into plazo.data_keys (order_ref, key_id, tag, sealed)
  select order_ref, key_id, tag, decode(sealed, 'base64') from done),
waits as (
  insert into plazo.waiting (order_ref, number, why, since)
  select order_ref, number, waits_for, waits_since from done where waits_for is not null),
told as (
  insert into plazo.journal (order_ref, seq, at, event, detail, from_state, to_state, input)
  select l.order_ref, l.seq, l.at, l.event, l.detail, l.from_state, l.to_state, decode(l.input, 'base64')
  from json_to_recordset($2) as l(
    order_ref uuid, seq integer, at bigint, event text, detail text, from_state text, to_state text, input text)
  join done d on d.order_ref = l.order_ref),
added as (
  insert into plazo.outbox (
    order_ref, revision, lane, class, queue, event, work, state, due_at, until, behind, made_at)
  select n.order_ref, n.revision, n.lane, n.class, n.queue, n.event, decode(n.work, 'base64'),
    case
      when n.is_stopped then 'stopped'
      when row_number() over (partition by n.order_ref, n.lane, n.is_stopped order by n.n) > 1 then 'queued'
      else 'pending' end,
    n.due_at, n.until, n.behind, n.made_at
  from json_to_recordset($3) as n(
    order_ref uuid, n integer, revision integer, lane text, class text, queue text, event text, work text,
    due_at bigint, until bigint, behind text, made_at bigint, is_stopped boolean)
  join done d on d.order_ref = n.order_ref
  order by n.n)
select j.n, case
    when exists (select from done d where d.order_ref = j.order_ref) then 'done'
    when exists (select from free f where f.order_ref = j.order_ref) then 'there'
    else 'taken' end as came
from job j`,
}

type Came = 'done' | 'there' | 'taken'

type Placed = E.Either<ReferenceTaken | Unavailable, void>

type Waiting = { readonly step: Step; readonly payload: string; readonly resolve: (placed: Placed) => void }

const TOGETHER = 64
const AT_ONCE = 2

export const placing = (
  { query }: Connection,
  vault: Vault,
  reading: OrderReading,
): ((step: Step, payload: string) => TaskEither<ReferenceTaken | Unavailable, void>) => {
  const [first] = vault.sealer.keyIds
  const proof = proofOfKey(vault.sealer)
  let waiting: Waiting[] = []
  let inFlight = 0
  let isScheduled = false

  const rowsOf = ({ step, payload }: Waiting, n: number) => {
    const { order } = step
    const { dataKey, sealed } = vault.draw(order.placed.orderRef)
    const { order: row, lines, effects } = rowsOfStep(step, order, dataKey)
    return {
      dataKey,
      job: {
        ...row,
        n,
        placed: asBase64(seal(dataKey, PLACED, encodePlaced(order.placed))),
        payload: asBase64(seal(dataKey, PAYLOAD, payload)),
        key_id: sealed.keyId,
        tag: sealed.tag,
        sealed: asBase64(sealed.sealed),
      },
      lines,
      effects,
    }
  }

  const answer = ({ step, resolve }: Waiting, came: Came | undefined): void => {
    if (came === 'done') resolve(E.right(undefined))
    else if (came === 'taken') resolve(E.left({ _tag: 'ReferenceTaken', reference: step.reference ?? '' }))
    else resolve(unavailable(new Error('The order is placed already.')))
  }

  const placeAll = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const rows = batch.map(rowsOf)
      const effects = rows.flatMap((row) => row.effects).map((effect, n) => ({ n, ...effect }))
      const found = await query<{ readonly n: number; readonly came: Came }>(
        PLACE,
        JSON.stringify(rows.map(({ job }) => job)),
        JSON.stringify(rows.flatMap(({ lines }) => lines)),
        JSON.stringify(effects),
        first,
        proof,
      )
      const came = new Map(found.map((row) => [row.n, row.came]))
      for (const [n, job] of batch.entries()) {
        const dataKey = rows[n]?.dataKey
        if (came.get(n) === 'done' && dataKey !== undefined) {
          vault.remember(job.step.order.placed.orderRef, dataKey)
          reading.remember(job.step.order, dataKey)
        }
        answer(job, came.get(n))
      }
    } catch (cause) {
      // One of them cannot be written: each stands alone then.
      if (isOfTheRows(cause) && batch.length > 1) for (const job of batch) await placeAll([job])
      else for (const { resolve } of batch) resolve(unavailable(new Error(messageOf(cause))))
    }
  }

  const turn = async (): Promise<void> => {
    isScheduled = false
    const batch = waiting.slice(0, TOGETHER)
    waiting = waiting.slice(TOGETHER)
    inFlight += 1
    schedule()
    await placeAll(batch)
    inFlight -= 1
    schedule()
  }

  const schedule = (): void => {
    if (isScheduled || waiting.length === 0 || inFlight >= AT_ONCE) return
    isScheduled = true
    setImmediate(() => void turn())
  }

  return (step, payload) => () =>
    new Promise((resolve) => {
      waiting.push({ step, payload, resolve })
      schedule()
    })
}
