// Copies an order up to one of its events into another order, by replaying its journal under the other order's names. The copy is
// one step, so that a store writes all of it or nothing. All times move by the same amount: the last copied event happens now, and
// each timer still has the time left that it had then.
import * as E from 'fp-ts/lib/Either.js'
import type { IO } from 'fp-ts/lib/IO.js'
import { awaitsReply, type Effect, laneOfKey } from './effects/effect.ts'
import { isReply, type Order, type OrderEvent, REGIONS } from './order.ts'
import type { OrderContext, Placed } from './order-context.ts'
import { initialStep, type JournalLine, type Step, step } from './step.ts'
import type { StepInput, Terms } from './terms.ts'

/** `journal`: all lines of the order. `references`: those with which it was placed. */
type CopiedOrder = {
  readonly placed: Placed
  readonly references: OrderContext['references']
  readonly journal: readonly JournalLine[]
}

/** `at`: the number of the last line that is copied. `apply`: the numbers of later lines whose events happen in the copy too. */
export type CopyRequest = { readonly at: number; readonly apply: readonly number[] }

/** What the copy has of its own. */
export type CopyNames = {
  readonly orderRef: string
  readonly now: number
  /** A token for one of the copy's pages. */
  readonly newToken: IO<string>
  /** The copy's `order_ref_1`, made from the original's, which is never empty. */
  readonly newReference: (first: string) => string
}

/** The line after the copied ones. It has no input: a replay skips it. */
const COPIED_EVENT = 'order.forked'

/** Left: a sentence that says why the order cannot be copied in this way. */
export const copyOrder =
  (terms: Terms) =>
  (original: CopiedOrder, { at, apply }: CopyRequest, names: CopyNames): E.Either<string, Step> => {
    const { journal } = original
    const last = journal.find(({ seq }) => seq === at)
    if (journal.some(({ seq }, index) => seq !== index + 1))
      return E.left('The order’s journal is no longer complete: its oldest lines were dropped.')
    if (last === undefined) return E.left(`at is ${at}, but the order has the events 1 to ${journal.length}.`)
    const unknown = apply.find((seq) => seq <= at || !journal[seq - 1]?.input)
    if (unknown !== undefined)
      return E.left(`apply has ${unknown}, which is not an event of the order after event ${at}.`)

    const later = [...new Set(apply)].sort((a, b) => a - b).flatMap((seq) => journal[seq - 1] ?? [])
    const copied = copyLines(terms, original, at, last.at, names)
    if (E.isLeft(copied)) return copied
    const { orderRef } = original.placed
    const marked = withLine(copied.right, COPIED_EVENT, `from ${orderRef} at event ${at}`, names.now)
    return applyLines(terms, orderRef, keepAwaitedEffects(marked), later, names)
  }

const copyLines = (
  terms: Terms,
  { placed, references, journal }: CopiedOrder,
  at: number,
  lastAt: number,
  names: CopyNames,
): E.Either<string, Step> => {
  const shift = names.now - lastAt
  const own = { ...placed, orderRef: names.orderRef, placedAt: placed.placedAt + shift }
  const placedAt: StepInput = { at: own.placedAt, random: { code: '', token: '' }, referenceIsTaken: false }
  let copy = E.mapLeft(() => cannotReplay(1))(initialStep(terms)(own, renameReference(references, names), placedAt))
  for (const line of journal.slice(0, at)) {
    if (E.isLeft(copy)) return copy
    const next = copyLine(terms, copy.right, line, { orderRef: placed.orderRef, shift, names })
    if (E.isLeft(next) || !isSameLine(next.right.journal[line.seq - 1], line)) return E.left(cannotReplay(line.seq))
    copy = next
  }
  return copy
}

type CopyTarget = { readonly orderRef: string; readonly shift: number; readonly names: CopyNames }

const copyLine = (
  terms: Terms,
  copy: Step,
  { seq, at, event, detail, input }: JournalLine,
  { orderRef, shift, names }: CopyTarget,
): E.Either<string, Step> => {
  // The step of an earlier line has written this one too.
  if (seq <= copy.order.revision) return E.right(copy)
  if (input === null) return E.right(withLine(copy, event, detail, at + shift))
  const random = { ...input.moment.random, token: names.newToken() }
  const moment = { ...input.moment, at: input.moment.at + shift, random }
  return addStep(terms, copy, renameEvent(input.event, orderRef, names), moment)
}

const applyLines = (
  terms: Terms,
  orderRef: string,
  copied: Step,
  lines: readonly JournalLine[],
  names: CopyNames,
): E.Either<string, Step> => {
  let copy = copied
  for (const { seq, input } of lines) {
    if (input === null) continue
    const event = answerHere(copy.order, renameEvent(input.event, orderRef, names))
    const random = { ...input.moment.random, token: names.newToken() }
    const next = addStep(terms, copy, event, { ...input.moment, at: names.now, random })
    if (E.isLeft(next)) return E.left(`Event ${seq} cannot happen to the fork: ${next.left}`)
    copy = next.right
  }
  return E.right(keepAwaitedEffects(copy))
}

const cannotReplay = (seq: number): string =>
  `Event ${seq} of the order gives another result when it is replayed, for example because another version of plazo wrote it.`

const isSameLine = (replayed: JournalLine | undefined, line: JournalLine): boolean =>
  replayed !== undefined &&
  replayed.event === line.event &&
  REGIONS.every((region) => replayed.from[region] === line.from[region] && replayed.to[region] === line.to[region])

const addStep = (terms: Terms, copy: Step, event: OrderEvent, moment: StepInput): E.Either<string, Step> =>
  E.bimap(
    ({ message }: { readonly message: string }) => message,
    (next: Step): Step => ({
      order: next.order,
      effects: withEffects(copy.effects, next),
      journal: [...copy.journal, ...next.journal],
      reference: next.reference ?? copy.reference,
    }),
  )(step(terms)(copy.order, event, moment))

const withLine = (copy: Step, event: string, detail: string | null, at: number): Step => {
  const { order, journal } = copy
  const { state } = order
  const updatedAt = Math.max(at, order.context.updatedAt)
  const seq = order.revision + 1
  const line = { seq, at: updatedAt, event, detail, from: state, to: state, input: null }
  return {
    ...copy,
    order: { ...order, revision: seq, context: { ...order.context, updatedAt } },
    journal: [...journal, line],
  }
}

type DoEffect = Extract<Effect, { readonly type: 'do' }>

/** The effects as a store would have them after the step. */
const withEffects = (before: readonly Effect[], { effects, order }: Step): readonly Effect[] => {
  const { updatedAt } = order.context
  let all = before
  for (const effect of effects)
    if (effect.type === 'do') all = [...all, effect]
    else if (effect.type === 'revoke') all = all.filter(({ lane }) => lane !== effect.lane)
    else
      all = all.map((each) =>
        each.type === 'do' && each.lane === effect.lane ? { ...each, dueAt: Math.min(each.dueAt, updatedAt) } : each,
      )
  return all
}

const isAwaitedIn =
  ({ context }: Order) =>
  ({ lane, key }: DoEffect): boolean =>
    context.awaited[lane] === key

/**
 * The copy does again only that whose answer it awaits, such as a screening, a payment, an IPN or a timer. No event that the
 * original sent is sent again.
 */
const keepAwaitedEffects = (copy: Step): Step => {
  const isAwaited = isAwaitedIn(copy.order)
  const marker = copy.journal.findLast(({ event }) => event === COPIED_EVENT)?.seq ?? 0
  return {
    ...copy,
    effects: copy.effects.filter(
      (effect) =>
        effect.type === 'do' && (isAwaited(effect) || (!awaitsReply(effect.lane) && revisionOf(effect) > marker)),
    ),
  }
}

const revisionOf = ({ key }: DoEffect): number => Number(key.split(':').at(-2))

const renameReference = (
  { first, second }: OrderContext['references'],
  { newReference }: CopyNames,
): OrderContext['references'] => ({ first: first === '' ? '' : newReference(first), second })

/** Keys of effects and links to pages contain the order's uuid. */
const renameEvent = (event: OrderEvent, orderRef: string, names: CopyNames): OrderEvent => {
  const renamed: OrderEvent = JSON.parse(JSON.stringify(event).replaceAll(orderRef, names.orderRef))
  return renamed.type === 'references.given' && renamed.first !== null && renamed.first !== ''
    ? { ...renamed, first: names.newReference(renamed.first) }
    : renamed
}

/** An answer of the original's later life becomes one to what the copy awaits in the same lane. */
const answerHere = ({ context }: Order, event: OrderEvent): OrderEvent =>
  isReply(event) ? { ...event, inReplyTo: context.awaited[laneOfKey(event.inReplyTo)] ?? event.inReplyTo } : event
