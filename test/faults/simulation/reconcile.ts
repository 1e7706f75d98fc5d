// Reconciles a simulated world at its end: every order is in a final state, every effect is
// accounted for, and every amount is where it belongs. It compares the journals with what was sent
// and paid.
import type { Order, Payment } from '@plazo/core/internal'
import { openDatabase } from '../../../packages/adapters/src/sqlite/schema/database.ts'
import type { Ledger } from '../../harness/ledger/ledger.ts'
import { sqliteSnapshot } from '../../harness/ledger/snapshot.ts'
import type { ReceivedRequest } from '../../harness/merchants.ts'
import type { EventLog } from './event-log.ts'
import type { Refunds } from './providers.ts'
import { keyring, URL_OF_US } from './server-process.ts'

type ReconcileParts = {
  readonly image: Buffer
  readonly requests: readonly ReceivedRequest[]
  readonly ledger: Ledger
  readonly refunds: Refunds
  readonly providerKeys: ReadonlySet<string>
  readonly eventLog: EventLog
  /** True if a fault may have lasted longer than a code is valid. */
  readonly outlivesCodes: boolean
}

type BrokenLaw = {
  readonly law: string
  readonly orderRef: string
  readonly sentence: string
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

// The sentence without ids and numbers, so that equal violations of different orders have equal
// names.
const lawName = (sentence: string): string =>
  sentence.replace(new RegExp(`${UUID.source}(:\\d+)?`, 'g'), 'an order').replace(/\d+/g, 'n')

const sumOf = (refunds: readonly { readonly amount: number }[]): number =>
  refunds.reduce((sum, { amount }) => sum + amount, 0)

/** True if a payment must be refunded once its order has ended. */
const isRefundDue = ({ state }: Order, payment: Payment): boolean =>
  payment.state === 'unexpected' ||
  (payment.state === 'succeeded' &&
    (state.checkout !== 'confirmed' || state.cancellation === 'cancelled'))

/**
 * All that was paid, or else what was paid beyond the total of an order that was reduced. A fee
 * stays paid.
 */
const owedBack = (order: Order, payment: Payment, paid: number): number => {
  if (isRefundDue(order, payment)) return paid
  const { agreement, carts } = order.context
  const total = carts === null ? order.placed.total : carts.shipped + carts.unshipped
  return Math.max(0, paid - (agreement?.product === 'pp3' ? 250 : 0) - total)
}

const moneyOf = (
  orders: readonly Order[],
  refunds: Refunds,
  eventLog: EventLog,
): readonly BrokenLaw[] =>
  orders.flatMap((order) => {
    const { state, context } = order
    const { orderRef } = order.placed
    const faults: BrokenLaw[] = []
    for (const payment of context.payments) {
      const back = sumOf([...refunds.values()].filter((refund) => refund.payment === payment.key))
      const paid = payment.amount + sumOf(payment.refunds)
      const isCaptured = payment.state === 'succeeded' || payment.state === 'unexpected'
      const owed = isCaptured ? owedBack(order, payment, paid) : 0
      if (isCaptured) {
        eventLog.count('money', 'captures')
        eventLog.count('money', 'captured', paid)
        eventLog.count('money', 'kept', paid - owed)
      }
      if (back !== owed)
        faults.push({
          law: 'what is due is refunded exactly once',
          orderRef,
          sentence: `${payment.key} (${payment.state}) of an order ${state.checkout} (${state.cancellation}): ${back} of ${paid} went back, where ${owed} was due.`,
        })
    }
    return faults
  })

// An SMS that could not be sent before its code became void is useless. An attempt must have been
// made, unless the server was away for as long as a code lives.
const isLateSms = (
  sentence: string,
  providerKeys: ReadonlySet<string>,
  outlivesCodes: boolean,
): boolean =>
  sentence.endsWith(':sms was never sent.') &&
  (outlivesCodes || providerKeys.has(sentence.replace(/ was never sent\.$/, '')))

/** Returns what is wrong at the end; adds counts of what is right to the story. */
export const reconcileWorld = async ({
  image,
  requests,
  ledger,
  refunds,
  providerKeys,
  eventLog,
  outlivesCodes,
}: ReconcileParts): Promise<readonly BrokenLaw[]> => {
  const db = openDatabase(image)
  const file = await sqliteSnapshot(db, keyring)
  db.close()
  const account = ledger.close(file, requests, URL_OF_US)
  const { orders } = account
  for (const row of file.outbox) if (row.queue !== 'work') eventLog.count('deliveries', row.state)
  for (const order of orders) eventLog.count('orders at their end', order.state.checkout)
  eventLog.count('journal', 'lines', account.lines)
  for (const [kind, { derived, revoked }] of Object.entries(account.effects)) {
    eventLog.count('effects', kind, derived)
    eventLog.count('effects', 'revoked', revoked)
  }
  return [
    ...moneyOf(orders, refunds, eventLog),
    ...account.faults
      .filter((sentence) => !isLateSms(sentence, providerKeys, outlivesCodes))
      .map(
        (sentence): BrokenLaw => ({
          law: lawName(sentence),
          orderRef: UUID.exec(sentence)?.[0] ?? '',
          sentence,
        }),
      ),
  ]
}
