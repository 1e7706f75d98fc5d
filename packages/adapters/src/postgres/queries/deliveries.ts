// Lists a merchant's deliveries with their attempts from PostgreSQL, and resends them.
import {
  type Attempt,
  type Deliveries,
  type Delivery,
  type DeliveryNotFound,
  RESPONSES_SHOWN,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { type AttemptRow, IS_ALWAYS_READ, toAttempt } from '../../sql/attempt-report.ts'
import { deliveryNotFound, storedStatesOf, toDelivery } from '../../sql/delivery-view.ts'
import { type Connection, statement } from '../connection/connection.ts'
import type { DataKeys, KeyColumns } from '../encryption/data-keys.ts'
import { isUuid } from '../sql/values.ts'
import { answerOrUnavailable, runOrUnavailable } from '../unavailable.ts'
import { createResend } from '../writer/resend.ts'
import {
  columnsOf,
  createDeliveryFinder,
  DELIVERED,
  type DeliveryRow,
  EXHAUSTED,
  NOT_DELIVERED,
  OF_MERCHANT,
  OF_ORDER,
} from './delivery-rows.ts'

type ListedAttempt = AttemptRow &
  KeyColumns & { readonly order_ref: string; readonly delivery_id: number }

const ATTEMPTS = statement('deliveries-attempts')`
  with listed_deliveries as materialized (select * from unnest($1::bigint[], $2::bigint[]) as d(order_id, id)),
  all_attempts as (
    select a.order_id, a.delivery_id, a.n, a.cause as trigger, a.started_at as "startedAt", a.outcome,
      a.duration as "durationMillis", a.status, a.error, a.report,
      a.n > max(a.n) over (partition by a.order_id, a.delivery_id) - $3::integer as "isShown"
    from listed_deliveries d join plazo.attempts a on a.order_id = d.order_id and a.delivery_id = d.id)
  select o.order_ref, m.delivery_id, m.n, m.trigger, m."startedAt", m.outcome, m."durationMillis", m.status, m.error, m."isShown",
    case when m."isShown" or ${IS_ALWAYS_READ} then m.report end as report, k.key_id, k.tag, k.ciphertext
  from all_attempts m join plazo.data_keys k on k.order_id = m.order_id
    join plazo.orders o on o.id = m.order_id order by m.n`

export const postgresDeliveries = (
  connection: Connection,
  dataKeys: DataKeys,
  runAndNotify: typeof runOrUnavailable,
): Deliveries => {
  const { query } = connection
  const findRow = createDeliveryFinder(query)

  const attemptOf = ({
    order_ref,
    delivery_id,
    key_id,
    tag,
    ciphertext,
    ...attempt
  }: ListedAttempt): Attempt =>
    toAttempt(attempt, delivery_id, (aad, blob) =>
      dataKeys.decrypt(order_ref, { key_id, tag, ciphertext }, aad, blob),
    )

  const toDeliveries = async (
    rows: readonly DeliveryRow[],
    responses = RESPONSES_SHOWN,
  ): Promise<readonly Delivery[]> => {
    const attempts =
      rows.length === 0 ? [] : await query<ListedAttempt>(ATTEMPTS, ...columnsOf(rows), responses)
    const attemptsByDelivery = Map.groupBy(attempts, ({ delivery_id }) => delivery_id)
    return rows.map((row) => toDelivery(row, (attemptsByDelivery.get(row.id) ?? []).map(attemptOf)))
  }

  return {
    list: ({ merchantRef, orderRef, state, before, limit, responses }) =>
      runOrUnavailable(async (): Promise<E.Either<DeliveryNotFound, readonly Delivery[]>> => {
        const cursor =
          before === null
            ? E.right({ id: Number.MAX_SAFE_INTEGER })
            : await findRow(merchantRef, before)
        if (E.isLeft(cursor)) return cursor
        if (orderRef !== null && !isUuid(orderRef)) return E.right([])
        const values = [merchantRef, cursor.right.id, storedStatesOf(state), limit]
        const rows =
          orderRef !== null
            ? await query<DeliveryRow>(OF_ORDER, ...values, orderRef)
            : await query<DeliveryRow>(
                state === null ? OF_MERCHANT : state === 'delivered' ? DELIVERED : NOT_DELIVERED,
                ...values,
              )
        return E.right(await toDeliveries(rows.toReversed(), responses))
      }),

    exhausted: (limit) =>
      answerOrUnavailable(async () => {
        const rows = await query<DeliveryRow>(EXHAUSTED, limit)
        const deliveries = await toDeliveries(rows)
        return deliveries.map((each, n) => ({ ...each, merchantRef: rows[n]?.merchant ?? '' }))
      }),

    find: (merchantRef, id) =>
      runOrUnavailable(async (): Promise<E.Either<DeliveryNotFound, Delivery>> => {
        const row = await findRow(merchantRef, id)
        if (E.isLeft(row)) return row
        const [delivery] = await toDeliveries([row.right])
        return delivery === undefined ? E.left(deliveryNotFound) : E.right(delivery)
      }),

    ...createResend(connection, runAndNotify),
  }
}
