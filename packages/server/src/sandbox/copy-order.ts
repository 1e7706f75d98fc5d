// Copies an order up to one of its events into another order, by replaying its journal under the
// other order's names. The copy is one step, so that a store writes all of it or nothing. All times
// move by the same amount: the last copied event happens now, and each timer still has the time
// left that it had then.
import {
  addLine,
  andThen,
  initialStep,
  isReply,
  type JournalLine,
  type Order,
  type OrderContext,
  type OrderEvent,
  type Placed,
  type RandomValues,
  type Step,
  type StepInput,
  step,
  type Terms,
} from '@plazo/core'
import { awaitsReply, encodeState, laneOfKey } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { IO } from 'fp-ts/lib/IO.js'

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
export type CopyValues = {
  readonly orderRef: string
  readonly now: number
  /** The copy's pages have tokens of their own. Its codes are those of the original. */
  readonly random: IO<RandomValues>
  /** The copy's `order_ref_1`, made from the original's, which is never empty. */
  readonly newReference: (first: string) => string
}

/**
 * All steps of the copy as one, with the effects that are still pending after the last. Left: a
 * sentence that says why the order cannot be copied in this way.
 */
export const copyOrder =
  (terms: Terms) =>
  (
    { placed, references, journal }: CopiedOrder,
    { at: lastSeq, apply }: CopyRequest,
    { orderRef, now, random, newReference }: CopyValues,
  ): E.Either<string, Step> => {
    const last = journal[lastSeq - 1]
    if (journal.some(({ seq }, index) => seq !== index + 1))
      return E.left('The order’s journal is no longer complete: its oldest lines were dropped.')
    if (last === undefined)
      return E.left(`at is ${lastSeq}, but the order has the events 1 to ${journal.length}.`)
    const shift = now - last.at

    // Keys of effects and links to pages contain the order's uuid.
    const renameEvent = (event: OrderEvent): OrderEvent => {
      const renamed: OrderEvent = JSON.parse(
        JSON.stringify(event).replaceAll(placed.orderRef, orderRef),
      )
      return renamed.type === 'references.given'
        ? { ...renamed, first: renamed.first && newReference(renamed.first) }
        : renamed
    }

    const addStep = (copy: Step, event: OrderEvent, stepInput: StepInput) => {
      const values = { ...stepInput.random, token: random().token }
      const next = step(terms)(copy.order, event, { ...stepInput, random: values })
      return E.map((added: Step) => keepPendingEffects(andThen(copy, added)))(next)
    }

    const copyLine = (copy: Step, { seq, at, event, detail, input }: JournalLine) => {
      // The step of an earlier line has written this one too.
      if (seq <= copy.order.revision) return E.right(copy)
      const shifted = at + shift
      if (input === null)
        return E.right(andThen(copy, addLine(copy.order, { at: shifted, event, detail, input })))
      const { stepInput } = input
      return addStep(copy, renameEvent(input.event), { ...stepInput, at: stepInput.at + shift })
    }

    const placedAt = placed.placedAt + shift
    let copied = initialStep(terms)(
      { ...placed, orderRef, placedAt },
      { ...references, first: references.first && newReference(references.first) },
      { at: placedAt, random: random(), referenceIsTaken: false },
    )
    for (const line of journal.slice(0, lastSeq)) {
      if (E.isRight(copied)) copied = copyLine(copied.right, line)
      if (E.isLeft(copied) || !isSameLine(copied.right.journal[line.seq - 1], line))
        return E.left(
          `Event ${line.seq} of the order gives another result when it is replayed, for example because another version of plazo wrote it.`,
        )
    }
    if (E.isLeft(copied)) return E.left(copied.left.message)

    let fork = markAsFork(copied.right, `from ${placed.orderRef} at event ${lastSeq}`, now)
    for (const seq of [...new Set(apply)].sort((a, b) => a - b)) {
      const input = seq > lastSeq ? journal[seq - 1]?.input : null
      if (!input)
        return E.left(
          `apply has ${seq}, which is not an event of the order after event ${lastSeq}.`,
        )
      const event = redirectReply(fork.order, renameEvent(input.event))
      const next = addStep(fork, event, { ...input.stepInput, at: now })
      if (E.isLeft(next))
        return E.left(`Event ${seq} cannot happen to the fork: ${next.left.message}`)
      fork = next.right
    }
    return E.right(fork)
  }

/**
 * Adds the line after the copied ones. It has no input: a replay skips it. From here on, the copy
 * repeats only the effects whose answers it awaits, such as a screening, a payment, an IPN or a
 * timer. No event that the original sent is sent again.
 */
const markAsFork = (copy: Step, detail: string, at: number): Step => {
  const line = { at, event: 'order.forked', detail, input: null }
  const effects = copy.effects.filter(({ lane }) => awaitsReply(lane))
  return { ...andThen(copy, addLine(copy.order, line)), effects }
}

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

/** A reply to the original becomes a reply to the effect that the copy awaits in the same lane. */
const redirectReply = ({ context }: Order, event: OrderEvent): OrderEvent =>
  isReply(event)
    ? { ...event, inReplyTo: context.pending[laneOfKey(event.inReplyTo)] ?? event.inReplyTo }
    : event
