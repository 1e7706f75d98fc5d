// Deliveries in SQLite. They are listed here with their attempts; the writer resends them.
import { type Deliveries, type Delivery, type DeliveryNotFound, effectKeyParts } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { identity } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  deliveryNotFound,
  readWithinByteLimit,
  responseBytes,
  storedStatesOf,
  toDelivery,
} from '../../sql/delivery-view.ts'
import type { Database } from '../schema/database.ts'
import { runOrUnavailable } from '../unavailable.ts'
import type { Ask } from '../writer/commands.ts'
import type { Attempts } from './attempts.ts'
import { COLUMNS, type DeliveryRow, IS_DELIVERY, ONE_DELIVERY, UNDELIVERED } from './delivery-rows.ts'

const IN_STATES = 'b.state in (select value from json_each(?))'

const NEWEST_FIRST = 'order by b.id desc limit ?'

export const sqliteDeliveries = (db: Database, ask: Ask, attempts: Attempts): Deliveries => {
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
  const one = db.prepare<[string, string, number, string], DeliveryRow>(ONE_DELIVERY)

  const deliveryOf = (row: DeliveryRow): Delivery => toDelivery(row, attempts.of(row.order_id, row.id))

  const findRow = (merchantRef: string, id: string): E.Either<DeliveryNotFound, DeliveryRow> => {
    const { orderRef, revision, lane } = effectKeyParts(id)
    return E.fromNullable(deliveryNotFound)(one.get(orderRef, merchantRef, revision, lane))
  }

  return {
    list: ({ merchantRef, orderRef, state, before, limit, answerBytes }) =>
      runOrUnavailable(() => {
        const cursor = before === null ? E.right({ id: Number.MAX_SAFE_INTEGER }) : findRow(merchantRef, before)
        if (E.isLeft(cursor)) return cursor
        const { id } = cursor.right
        const stored = JSON.stringify(storedStatesOf(state))
        const rows =
          orderRef !== null
            ? ofOrder.all(orderRef, merchantRef, id, stored, limit)
            : state === null || state === 'delivered'
              ? ofMerchant.all(merchantRef, id, stored, limit)
              : undelivered.all({ merchantRef }, id, stored, limit)
        const newestFirst = readWithinByteLimit(rows, deliveryOf, responseBytes, answerBytes)
        return E.right(newestFirst.toReversed())
      }),

    find: (merchantRef, id) => runOrUnavailable(() => E.map(deliveryOf)(findRow(merchantRef, id))),

    resend: (merchantRef, id, at) => TE.flatMapEither(ask('resend', { merchantRef, id, at }), identity),

    recover: (request) => ask('recover', request),
  }
}
