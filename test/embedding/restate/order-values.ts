// The orders of docs/hosts/restate.md as Restate keeps them, in the form that the ledger reconciles.
// A value keeps no finished job, so of finished requests the ledger sees what the shop received.
import { inValue, type RowsValue, rowsCipher } from '@plazo/adapters/rows'
import { systemClock } from '@plazo/adapters/system'
import type { Terms } from '@plazo/core'
import { encodePlaced, encodeSnapshot } from '../../../packages/core/src/order/snapshot.ts'
import { lineOf, replay } from '../../harness/ledger/replay.ts'
import type { DatabaseSnapshot, OutboxRow } from '../../harness/ledger/sqlite-snapshot.ts'

/** An order's value, and the request by which it was placed. */
export type OrderValue = {
  readonly orderRef: string
  readonly value: RowsValue
  readonly payload: string
}

// The key of the program, which is started without SECRET_KEY.
const cipher = await rowsCipher(`first:${btoa('0'.repeat(32))}`)

const openValue = async ({ orderRef, value, payload }: OrderValue, id: number) => {
  const { result } = await inValue(
    value,
    ({ store }) =>
      async () =>
        [await store.read(orderRef)(), await store.journal(orderRef)()] as const,
    { clock: systemClock, cipher },
  )
  const [order, journal] = result
  if (order._tag === 'Left' || journal._tag === 'Left') throw new Error(`No order ${orderRef}.`)
  const { revision, placed } = order.right
  const stored = { placed: encodePlaced(placed), snapshot: encodeSnapshot(order.right) }
  return {
    row: { id, orderRef, revision, payload, ...stored },
    lines: journal.right.map(lineOf),
    jobs: value.orders.flatMap(({ jobs }) =>
      jobs.map(({ revision, lane, state }): OutboxRow => {
        return { orderId: id, revision, lane, queue: '', work: 'null', state, message: null }
      }),
    ),
  }
}

/** `printed`: the SMS. The shopper of each order has a phone number of their own. */
export const snapshotOf = async (
  values: readonly OrderValue[],
  terms: Terms,
  printed: string,
): Promise<DatabaseSnapshot> => {
  const opened = await Promise.all(values.map(openValue))
  return {
    orders: () => opened.map(({ row }) => row),
    lines: (orderId) => opened[orderId]?.lines ?? [],
    outbox: () => opened.flatMap(({ jobs }) => jobs),
    messages: () =>
      opened.flatMap(({ row, lines }) =>
        replay(row, lines, terms).derived.flatMap(({ key, payload }) =>
          payload.kind === 'sms' && printed.includes(`${payload.to}: ${payload.text}`)
            ? [{ key, code: payload.code }]
            : [],
        ),
      ),
    cardOwners: () => 0,
    integrity: () => 'ok',
    close: () => {},
  }
}
