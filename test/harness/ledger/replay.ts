// Replays an order from its journal alone: places it again from the payload and applies every event
// at its time. The result must be the stored order, the stored journal and every effect that the
// order ever had.
import { isDeepStrictEqual } from 'node:util'
import { SANDBOX_CODE } from '@plazo/adapters/internal/sandbox'
import {
  DEFAULT_RULES,
  decodeOrder,
  decodePlaced,
  decodeSnapshot,
  type Effect,
  initialStep,
  type JournalLine,
  type Order,
  type Placed,
  type Step,
  step,
  type Terms,
  wireNames,
} from '@plazo/core/internal'
import { linksFrom } from '@plazo/server/internal'
import * as E from 'fp-ts/lib/Either.js'
import {
  payLinks,
  verifyLinks,
} from '../../../packages/server/src/sandbox/provider-pages/routes.ts'
import type { Line, StoredRow } from './snapshot.ts'

type DoEffect = Extract<Effect, { readonly type: 'do' }>

/** `isRevoked`: the order stopped waiting for it, so it may never have started. */
export type DerivedEffect = DoEffect & { isRevoked: boolean }

type ReplayResult = {
  readonly order: Order
  readonly derived: readonly DerivedEffect[]
  readonly faults: readonly string[]
}

/** The terms of a sandbox with default settings. */
export const termsAt = (baseUrl: string): Terms => ({
  rules: { ...DEFAULT_RULES, masterCode: SANDBOX_CODE },
  links: { ...linksFrom(baseUrl), ...payLinks(baseUrl), ...verifyLinks(baseUrl) },
  names: wireNames('Service', 'sq_state'),
})

const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left))
  return result.right
}

const replayPlacing = (row: StoredRow, terms: Terms): Step => {
  const placed = JSON.parse(row.placed) as Placed
  const { references } = right(decodeOrder(JSON.parse(row.payload)))
  const stepInput = {
    at: placed.placedAt,
    random: { code: '', token: '' },
    referenceIsTaken: false,
  }
  return right(initialStep(terms)(placed, references, stepInput))
}

/** A journal's line as databases keep it. */
const lineOf = ({ from, to, input, ...rest }: JournalLine): Line => ({
  ...rest,
  from: `${from.checkout} ${from.risk} ${from.cancellation}`,
  to: `${to.checkout} ${to.risk} ${to.cancellation}`,
  input: input && JSON.stringify(input),
})

// Values that JSON cannot represent do not count: the stored order went through JSON at every step.
const throughJson = <A>(value: A): A => JSON.parse(JSON.stringify(value)) as A

const trackEffects = (derived: DerivedEffect[], effects: readonly Effect[]): void => {
  for (const effect of effects) {
    if (effect.type === 'do') derived.push({ ...effect, isRevoked: false })
    if (effect.type === 'revoke')
      for (const earlier of derived) if (earlier.lane === effect.lane) earlier.isRevoked = true
  }
}

/** @throws if an event cannot be applied. */
export const replay = (row: StoredRow, stored: readonly Line[], terms: Terms): ReplayResult => {
  const derived: DerivedEffect[] = []
  const lines: Line[] = []
  let { order } = replayPlacing(row, terms)
  const applyStep = (result: Step): void => {
    order = throughJson(result.order)
    lines.push(...result.journal.map(lineOf))
    trackEffects(derived, result.effects)
  }
  applyStep(replayPlacing(row, terms))
  for (const { input } of stored) {
    if (input === null) continue
    const { event, stepInput } = JSON.parse(input) as NonNullable<JournalLine['input']>
    applyStep(right(step(terms)(order, event, stepInput)))
  }
  const decoded = {
    placed: right(decodePlaced(row.placed)),
    revision: row.revision,
    ...right(decodeSnapshot(row.snapshot)),
  }
  const differing = stored.find((line, index) => !isDeepStrictEqual({ ...line }, lines[index]))
  return {
    order,
    derived,
    faults: [
      ...(isDeepStrictEqual(throughJson(decoded), order)
        ? []
        : [`${row.orderRef}: replayed, it is another order.`]),
      ...(differing === undefined && lines.length === stored.length
        ? []
        : [
            `${row.orderRef}: replayed, its journal differs at line ${differing?.seq ?? stored.length + 1}.`,
          ]),
    ],
  }
}
