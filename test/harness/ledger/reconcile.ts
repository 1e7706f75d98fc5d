// Reconciles a finished run, with every order at its end: the effects that the journals require are
// compared with what was actually sent. Runs with kills, with several nodes and in the simulation
// all use it.
import { isDeepStrictEqual } from 'node:util'
import { type EffectPayload, effectKey, type Order, type Terms } from '@plazo/core/internal'
import type { ReceivedRequest } from '@plazo/core/internal/testing'
import * as E from 'fp-ts/lib/Either.js'
import { webhookId } from '../merchants.ts'
import { type DerivedEffect, replay } from './replay.ts'
import type { DatabaseSnapshot, Line, OutboxRow } from './snapshot.ts'

export type Reconciliation = {
  readonly faults: readonly string[]
  /** Every order as its journal replays it. */
  readonly orders: readonly Order[]
  readonly lines: number
  /**
   * By kind of work: how many effects were required, how many of them were revoked first, and how
   * many were found done.
   */
  readonly effects: Readonly<
    Record<string, { derived: number; revoked: number; performed: number }>
  >
  readonly requests: { readonly all: number; readonly keys: number; readonly repeated: number }
}

type Request = MerchantRequestOf<EffectPayload>
type MerchantRequestOf<W> = W extends { readonly kind: 'ipn' | 'event' } ? W : never

const isRequest = (payload: EffectPayload): payload is Request =>
  payload.kind === 'ipn' || payload.kind === 'event'

const FINAL_STATES = new Set<Order['state']['checkout']>([
  'confirmed',
  'rejected',
  'cancelled',
  'conflicted',
  'failed',
  'expired',
])
const UNFINISHED_STATES = new Set(['queued', 'pending', 'stuck'])
/** Effects that must be answered by exactly one event of their order. */
const ANSWERED_KINDS = new Set<EffectPayload['kind']>([
  'screening',
  'cards',
  'refund',
  'risk',
  'timer',
])
/** First in, first out, and never revoked. */
const LANES = ['notice', 'action']

const unfinishedFaults = ({ placed: { orderRef }, state, context }: Order): readonly string[] => [
  ...(FINAL_STATES.has(state.checkout)
    ? []
    : [`${orderRef} has not ended: it is ${state.checkout}.`]),
  ...(['assessing', 'underEvaluation'].includes(state.risk)
    ? [`${orderRef}: its risk is ${state.risk} still.`]
    : []),
  ...(['scheduled', 'asking', 'waiting'].includes(state.cancellation)
    ? [`${orderRef}: its cancellation is ${state.cancellation} still.`]
    : []),
  ...(context.payments.filter((payment) => payment.state === 'succeeded').length > 1
    ? [`${orderRef} was paid twice.`]
    : []),
]

const countReplies = (key: string, lines: readonly Line[]): number =>
  lines.filter(({ input }) => input?.includes(`"inReplyTo":${JSON.stringify(key)}`)).length

const wasSubmitted = (code: string, lines: readonly Line[]): boolean =>
  lines.some(
    ({ event, input }) =>
      event === 'code.submitted' && input?.includes(`"code":${JSON.stringify(code)}`),
  )

const laneFaults = (
  lanes: readonly string[],
  derived: readonly DerivedEffect[],
  firstHeard: ReadonlyMap<string, number>,
) =>
  lanes.flatMap((lane) => {
    const positions = derived
      .filter((effect) => effect.lane === lane)
      .map(({ key }) => firstHeard.get(key) ?? Number.NaN)
    return positions.every((place, index) => index === 0 || place > (positions[index - 1] ?? 0))
      ? []
      : [`${derived[0]?.key}: the lane ${lane} was not first in, first out.`]
  })

/** `terms`: those of the host that ran on the database. The host is stopped by now. */
export const reconcile = (
  snapshot: DatabaseSnapshot,
  received: readonly Pick<ReceivedRequest, 'headers' | 'body'>[],
  terms: Terms,
): Reconciliation => {
  const faults: string[] = []
  const effects: Record<string, { derived: number; revoked: number; performed: number }> = {}
  const requestsByKey = Map.groupBy(received, webhookId)
  const firstHeard = new Map(
    received.map((request, index) => [webhookId(request), index] as const).toReversed(),
  )
  const rows = snapshot.orders
  const refOf = new Map(rows.map(({ id, orderRef }) => [id, orderRef]))
  const keyOf = ({ orderId, revision, lane }: OutboxRow): string =>
    effectKey(refOf.get(orderId) ?? `row ${orderId}`, revision, lane)
  const outbox = snapshot.outbox
  const outboxByKey = new Map(outbox.map((row) => [keyOf(row), row]))
  const sms = new Map(snapshot.messages.map(({ key, code }) => [key, code]))
  const cardOwners = new Set<string>()
  const derivedKeys = new Set<string>()
  const orders: Order[] = []
  let lineCount = 0

  for (const row of outbox)
    if (UNFINISHED_STATES.has(row.state))
      faults.push(`${keyOf(row)} is ${row.state} in the outbox.`)

  const foundRequest = ({ key, payload, isRevoked }: DerivedEffect): boolean => {
    if (!isRequest(payload)) return false
    const row = outboxByKey.get(key)
    const requests = requestsByKey.get(key) ?? []
    if (row === undefined) faults.push(`${key} follows from the journal, and is not in the outbox.`)
    else if (!isDeepStrictEqual(JSON.parse(row.work), JSON.parse(JSON.stringify(payload))))
      faults.push(`${key} is another request in the outbox than the journal makes it.`)
    if (row?.state === 'stopped' && !isRevoked)
      faults.push(`${key} was stopped, and nobody had revoked it.`)
    if (row?.state !== 'stopped' && requests.length === 0)
      faults.push(`${key} is ${row?.state}, and was never received.`)
    if (requests.some(({ body }) => body !== payload.body))
      faults.push(`${key} was received with other bytes than its own.`)
    return requests.length > 0
  }

  const isFound = (effect: DerivedEffect, lines: readonly Line[]): boolean => {
    const { key, payload, isRevoked } = effect
    if (isRequest(payload)) return foundRequest(effect)
    // For all other work, the outbox holds it until it is done, and the journal records it
    // afterwards.
    if (outboxByKey.has(key)) faults.push(`${key} is still in the outbox.`)
    if (payload.kind === 'sms') {
      if (sms.has(key) && sms.get(key) !== payload.code)
        faults.push(`${key} was sent with another code.`)
      // Submitting the code revokes the SMS job, but a shopper who submits the code has received
      // the SMS, unless it happens to be the code that always works.
      const provesSms = payload.code !== terms.rules.masterCode
      if (!sms.has(key) && (!isRevoked || (provesSms && wasSubmitted(payload.code, lines))))
        faults.push(`${key} was never sent.`)
      return sms.has(key)
    }
    if (payload.kind === 'card') cardOwners.add(JSON.stringify(payload.owner))
    if (!ANSWERED_KINDS.has(payload.kind)) return true
    const answers = countReplies(key, lines)
    if (answers !== 1 && !isRevoked) faults.push(`${key} was answered ${answers} times.`)
    return answers > 0
  }

  for (const row of rows) {
    const lines = snapshot.lines(row.id)
    lineCount += lines.length
    const replayed = E.tryCatch(() => replay(row, lines, terms), String)
    if (E.isLeft(replayed)) {
      faults.push(`${row.orderRef} cannot be replayed: ${replayed.left}`)
      continue
    }
    const { order, derived, faults: differences } = replayed.right
    faults.push(
      ...differences,
      ...unfinishedFaults(order),
      ...laneFaults(LANES, derived, firstHeard),
    )
    orders.push(order)
    for (const effect of derived) {
      const { kind } = effect.payload
      const tally = effects[kind] ?? { derived: 0, revoked: 0, performed: 0 }
      derivedKeys.add(effect.key)
      effects[kind] = {
        derived: tally.derived + 1,
        revoked: tally.revoked + (effect.isRevoked ? 1 : 0),
        performed: tally.performed + (isFound(effect, lines) ? 1 : 0),
      }
    }
  }

  for (const key of [...requestsByKey.keys(), ...sms.keys(), ...outboxByKey.keys()])
    if (!derivedKeys.has(key)) faults.push(`${key} was sent or kept, and no journal knows of it.`)
  if (snapshot.cardOwners !== cardOwners.size)
    faults.push(
      `Cards are kept for ${snapshot.cardOwners} shoppers, and were to be kept for ${cardOwners.size}.`,
    )
  const integrity = snapshot.integrity
  if (integrity !== 'ok') faults.push(`The database is broken: ${integrity}`)

  return {
    faults,
    orders,
    lines: lineCount,
    effects,
    requests: {
      all: received.length,
      keys: requestsByKey.size,
      repeated: [...requestsByKey.values()].filter(({ length }) => length > 1).length,
    },
  }
}
