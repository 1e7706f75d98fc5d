// Copies an order up to one of its events into another order, by replaying its journal under the
// other order's names. The copy is one step, so that a store writes all of it or nothing. All times
// move by the same amount: the last copied event happens now, and each timer still has the time
// left that it had then.
import * as E from 'fp-ts/lib/Either.js'
import type { IO } from 'fp-ts/lib/IO.js'
import { awaitsReply, laneOfKey } from './effects/effect.ts'
import { isReply, type Order, type OrderEvent } from './order.ts'
import type { OrderContext, Placed } from './order-context.ts'
import { encodeState } from './snapshot.ts'
import { addLine, andThen, initialStep, type JournalLine, type Step, step } from './step.ts'
import type { RandomValues, StepInput, Terms } from './terms.ts'

/** `journal`: all lines of the order. `references`: those with which it was placed. */
type CopiedOrder = {
  readonly placed: Placed
  readonly references: OrderContext['references']
  readonly journal: readonly JournalLine[]
}

/**
 * `at`: the number of the last line that is copied. `apply`: the numbers of later lines whose
 * events happen in the copy too.
 */
export type CopyRequest = { readonly at: number; readonly apply: readonly number[] }

/** The values that the copy does not take from the original. */
export type OwnValues = {
  readonly orderRef: string
  readonly now: number
  /** The copy's pages have tokens of their own. Its codes are those of the original. */
  readonly random: IO<RandomValues>
  /** The copy's `order_ref_1`, made from the original's, which is never empty. */
  readonly newReference: (first: string) => string
}

/** `from`: the uuid of the original. */
type Scope = { readonly terms: Terms; readonly from: string; readonly forkValues: OwnValues }

/** All steps of the copy as one, with the effects that are still pending after the last. */
type CopyResult = E.Either<string, Step>

/** Left: a sentence that says why the order cannot be copied in this way. */
export const copyOrder =
  (terms: Terms) =>
  (original: CopiedOrder, { at, apply }: CopyRequest, forkValues: OwnValues): CopyResult => {
    const { placed, journal } = original
    const last = journal[at - 1]
    if (journal.some(({ seq }, index) => seq !== index + 1))
      return E.left('The order’s journal is no longer complete: its oldest lines were dropped.')
    if (last === undefined)
      return E.left(`at is ${at}, but the order has the events 1 to ${journal.length}.`)

    const scope = { terms, from: placed.orderRef, forkValues }
    const shift = forkValues.now - last.at
    const copied = journal
      .slice(0, at)
      .reduce(
        (copy, line) => E.chain(copyLine(scope, line, shift))(copy),
        placeCopy(scope, original, shift),
      )
    const marked = E.map((copy: Step) =>
      markAsFork(copy, `from ${placed.orderRef} at event ${at}`, forkValues.now),
    )(copied)
    return [...new Set(apply)]
      .sort((a, b) => a - b)
      .reduce((copy, seq) => E.chain(applyLine(scope, original, at, seq))(copy), marked)
  }

const placeCopy = (
  { terms, forkValues }: Scope,
  { placed, references }: CopiedOrder,
  shift: number,
): CopyResult => {
  const placedAt = placed.placedAt + shift
  const first = initialStep(terms)(
    { ...placed, orderRef: forkValues.orderRef, placedAt },
    { ...references, first: references.first && forkValues.newReference(references.first) },
    { at: placedAt, random: forkValues.random(), referenceIsTaken: false },
  )
  return E.isLeft(first) ? E.left(cannotReplay(1)) : first
}

const copyLine =
  (scope: Scope, line: JournalLine, shift: number) =>
  (copy: Step): CopyResult => {
    const next = replayLine(scope, line, shift, copy)
    return E.isRight(next) && isSameLine(next.right.journal[line.seq - 1], line)
      ? next
      : E.left(cannotReplay(line.seq))
  }

const replayLine = (scope: Scope, line: JournalLine, shift: number, copy: Step): CopyResult => {
  const { seq, at, event, detail, input } = line
  // The step of an earlier line has written this one too.
  if (seq <= copy.order.revision) return E.right(copy)
  if (input === null)
    return E.right(andThen(copy, addLine(copy.order, { at: at + shift, event, detail, input })))
  return addStep(
    scope,
    copy,
    renameEvent(input.event, scope),
    input.stepInput,
    input.stepInput.at + shift,
  )
}

const applyLine =
  (scope: Scope, { journal }: CopiedOrder, at: number, seq: number) =>
  (copy: Step): CopyResult => {
    const input = journal.slice(at).find((line) => line.seq === seq)?.input
    if (!input)
      return E.left(`apply has ${seq}, which is not an event of the order after event ${at}.`)
    const event = redirectReply(copy.order, renameEvent(input.event, scope))
    const next = addStep(scope, copy, event, input.stepInput, scope.forkValues.now)
    if (E.isRight(next)) return next
    return E.left(`Event ${seq} cannot happen to the fork: ${next.left}`)
  }

const addStep = (
  { terms, forkValues }: Scope,
  copy: Step,
  event: OrderEvent,
  stepInput: StepInput,
  at: number,
): CopyResult => {
  const random = { ...stepInput.random, token: forkValues.random().token }
  const next = step(terms)(copy.order, event, { ...stepInput, at, random })
  if (E.isLeft(next)) return E.left(next.left.message)
  return E.right(keepPendingEffects(andThen(copy, next.right)))
}

/**
 * Adds the line after the copied ones. It has no input: a replay skips it. From here on, the copy
 * repeats only the effects whose answers it awaits, such as a screening, a payment, an IPN or a
 * timer. No event that the original sent is sent again.
 */
const markAsFork = (copy: Step, detail: string, at: number): Step => {
  const marked = andThen(
    copy,
    addLine(copy.order, { at, event: 'order.forked', detail, input: null }),
  )
  return { ...marked, effects: copy.effects.filter(({ lane }) => awaitsReply(lane)) }
}

const cannotReplay = (seq: number): string =>
  `Event ${seq} of the order gives another result when it is replayed, for example because another version of plazo wrote it.`

const isSameLine = (replayed: JournalLine | undefined, { event, to }: JournalLine): boolean =>
  replayed?.event === event && encodeState(replayed.to) === encodeState(to)

/**
 * The effects that a store would still have to run. One that was answered or revoked is no longer
 * awaited. No `expedite` is needed: only an IPN is ever expedited, and a copy's IPN is due at once.
 */
const keepPendingEffects = (copy: Step): Step => ({
  ...copy,
  effects: copy.effects.filter(
    (effect) =>
      effect.type === 'do' &&
      (!awaitsReply(effect.lane) || copy.order.context.pending[effect.lane] === effect.key),
  ),
})

/** Keys of effects and links to pages contain the order's uuid. */
const renameEvent = (event: OrderEvent, { from, forkValues }: Scope): OrderEvent => {
  const renamed: OrderEvent = JSON.parse(
    JSON.stringify(event).replaceAll(from, forkValues.orderRef),
  )
  return renamed.type === 'references.given'
    ? { ...renamed, first: renamed.first && forkValues.newReference(renamed.first) }
    : renamed
}

/** A reply to the original becomes a reply to the effect that the copy awaits in the same lane. */
const redirectReply = ({ context }: Order, event: OrderEvent): OrderEvent =>
  isReply(event)
    ? { ...event, inReplyTo: context.pending[laneOfKey(event.inReplyTo)] ?? event.inReplyTo }
    : event
