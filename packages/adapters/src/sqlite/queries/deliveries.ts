// Deliveries in SQLite. They are listed here with their attempts; the writer resends them.
import {
  type Attempt,
  type Deliveries,
  type Delivery,
  type DeliveryNotFound,
  effectKeyParts,
  RESPONSES_SHOWN,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { identity } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type AttemptRow, IS_ALWAYS_READ, toAttempt } from '../../sql/attempt-report.ts'
import { deliveryNotFound, storedStatesOf, toDelivery } from '../../sql/delivery-view.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import type { Database } from '../schema/database.ts'
import { runOrUnavailable, valueOrUnavailable } from '../unavailable.ts'
import type { RunCommand } from '../writer/commands.ts'
import {
  COLUMNS,
  type DeliveryRow,
  IS_DELIVERY,
  ONE_DELIVERY,
  UNDELIVERED,
} from './delivery-rows.ts'

const IN_STATES = 'b.state in (select value from json_each(?))'

const NEWEST_FIRST = 'order by b.id desc limit ?'

const IS_SHOWN = 'n > (select max(n) from attempts where delivery_id = +@id) - @responses'

// The unary plus is explained at `stablePlan`, which only knows parameters without a name.
const ATTEMPTS = `
  select n, cause as "trigger", started_at as startedAt, outcome, duration as durationMillis, status, error,
    ${IS_SHOWN} as isShown, case when ${IS_SHOWN} or ${IS_ALWAYS_READ} then report end as report
  from attempts where delivery_id = +@id
  order by n`

export const sqliteDeliveries = (
  db: Database,
  runCommand: RunCommand,
  dataKeys: DataKeys,
): Deliveries => {
  const ofMerchant = db.prepare<[string, number, string, number], DeliveryRow>(
    `${COLUMNS} where b.${IS_DELIVERY} and b.merchant = ? and b.id < ? and ${IN_STATES} ${NEWEST_FIRST}`,
  )
  const undelivered = db.prepare<[{ merchantRef: string }, number, string, number], DeliveryRow>(
    `${COLUMNS} where b.${IS_DELIVERY} and ${UNDELIVERED} and b.id < ? and ${IN_STATES} ${NEWEST_FIRST}`,
  )
  const ofOrder = db.prepare<[string, string, number, string, number], DeliveryRow>(
    `${COLUMNS} where b.${IS_DELIVERY} and b.order_id = (select id from orders where order_ref = ?) and +b.merchant = ?
      and b.id < ? and ${IN_STATES} ${NEWEST_FIRST}`,
  )
  const exhausted = db.prepare<[number], DeliveryRow>(
    `${COLUMNS} where b.state = 'exhausted' and b.${IS_DELIVERY} ${NEWEST_FIRST}`,
  )
  const one = db.prepare<[string, string, number, string], DeliveryRow>(ONE_DELIVERY)

  const attempts = db.prepare<[{ id: number; responses: number }], AttemptRow>(ATTEMPTS)

  const attemptsOf = ({ id, order_id }: DeliveryRow, responses: number): readonly Attempt[] =>
    attempts
      .all({ id, responses })
      .map((row) => toAttempt(row, id, (aad, blob) => dataKeys.decrypt(order_id, aad, blob)))

  const deliveryOf = (row: DeliveryRow, responses = RESPONSES_SHOWN): Delivery =>
    toDelivery(row, attemptsOf(row, responses))

  const findRow = (merchantRef: string, id: string): E.Either<DeliveryNotFound, DeliveryRow> => {
    const { orderRef, revision, lane } = effectKeyParts(id)
    return E.fromNullable(deliveryNotFound)(one.get(orderRef, merchantRef, revision, lane))
  }

  return {
    list: ({ merchantRef, orderRef, state, before, limit, responses }) =>
      runOrUnavailable(() => {
        const cursor =
          before === null ? E.right({ id: Number.MAX_SAFE_INTEGER }) : findRow(merchantRef, before)
        if (E.isLeft(cursor)) return cursor
        const { id } = cursor.right
        const stored = JSON.stringify(storedStatesOf(state))
        const rows =
          orderRef !== null
            ? ofOrder.all(orderRef, merchantRef, id, stored, limit)
            : state === null || state === 'delivered'
              ? ofMerchant.all(merchantRef, id, stored, limit)
              : undelivered.all({ merchantRef }, id, stored, limit)
        return E.right(rows.map((row) => deliveryOf(row, responses)).reverse())
      }),

    exhausted: (limit) =>
      valueOrUnavailable(() =>
        exhausted.all(limit).map((row) => ({ ...deliveryOf(row), merchantRef: row.merchant })),
      ),

    find: (merchantRef, id) =>
      runOrUnavailable(() =>
        E.map((row: DeliveryRow) => deliveryOf(row))(findRow(merchantRef, id)),
      ),

    resend: (merchantRef, id, at) =>
      TE.flatMapEither(runCommand('resend', { merchantRef, id, at }), identity),

    recover: (request) => runCommand('recover', request),
  }
}
