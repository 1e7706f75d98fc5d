import type { JournalLine, Placed, Step, Terms } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  CODE,
  confirmWithMerchant,
  DECLINED,
  FP1,
  firstStep,
  type OrderFixture,
  orderFixture,
  PAID,
  PLACED,
  PLACED_AT,
  reachScreening,
  resolveScreening,
  revealOutcome,
  SUBMISSION,
  submitPerson,
  TERMS,
  VISA,
} from '../../../core/src/testing/harness/order-fixture.ts'
import { type CopyRequest, type CopyValues, copyOrder } from './copy-order.ts'

const ORIGINAL = '11111111-0000-4000-8000-000000000001'
const COPY = '22222222-0000-4000-8000-000000000002'
const DAY = 24 * 3_600_000

/** Copies are made a week after the original was placed. */
const NOW = PLACED_AT + 7 * DAY

type Recorded = OrderFixture & {
  readonly placed: Placed
  readonly references: Step['order']['context']['references']
  readonly journal: JournalLine[]
}

/** An order whose journal is kept. */
const recordedOrder = (
  changes: Partial<Placed> = {},
  references = { first: 'R1', second: 'R2' },
): Recorded => {
  const placed = { ...PLACED, orderRef: ORIGINAL, ...changes }
  const fixture = orderFixture(placed, references)
  const journal = [...firstStep(placed, references).journal]
  const record = (recorded: Step): Step => {
    journal.push(...recorded.journal)
    return recorded
  }
  return {
    placed,
    references,
    journal,
    order: fixture.order,
    send: (...input) => record(fixture.send(...input)),
    reply: (...input) => record(fixture.reply(...input)),
  }
}

/** The tokens of a copy are `copy-1`, `copy-2` and so on. The first is drawn when it is placed. */
const copyValues = (now: number): CopyValues => {
  let drawn = 0
  return {
    orderRef: COPY,
    now,
    random: () => ({ code: 'not used', token: `copy-${drawn++}` }),
    newReference: (first) => `${first}-copy`,
  }
}

type Copied = Parameters<ReturnType<typeof copyOrder>>[0]

type Options = Partial<CopyRequest> & { readonly now?: number; readonly terms?: Terms }

const tryCopy = (
  original: Copied,
  { now = NOW, terms = TERMS, ...request }: Options = {},
): E.Either<string, Step> =>
  copyOrder(terms)(
    original,
    { at: original.journal.length, apply: [], ...request },
    copyValues(now),
  )

/** Copies the whole order, unless the options say otherwise. */
const copyOf = (original: Copied, options?: Options): Step => {
  const copy = tryCopy(original, options)
  if (E.isLeft(copy)) throw new Error(copy.left)
  return copy.right
}

const dueTimes = ({ effects }: Step): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    effects.map((effect) =>
      effect.type === 'do' ? [effect.key, effect.dueAt] : [effect.lane, null],
    ),
  )

const inputsOf = ({ journal }: Pick<Step, 'journal'>) =>
  journal.flatMap(({ input }) => (input === null ? [] : [input]))

describe('a copy of a new order', () => {
  it('is the order under its own names, one day before it expires', () => {
    const state = { checkout: 'identifying', risk: 'unassessed', cancellation: 'none' } as const
    const original = recordedOrder()
    const { order, effects } = firstStep()
    const line = { at: NOW, from: state, to: state, input: null }
    const key = `${COPY}:1:timer.checkoutLifetime`
    expect(copyOf(original)).toStrictEqual({
      order: {
        placed: { ...PLACED, orderRef: COPY, placedAt: NOW },
        revision: 2,
        state,
        context: {
          ...order.context,
          updatedAt: NOW,
          references: { first: 'R1-copy', second: 'R2' },
          pending: { 'timer.checkoutLifetime': key },
        },
      },
      effects: effects.map((effect) => ({ ...effect, key, dueAt: NOW + DAY })),
      journal: [
        { ...line, seq: 1, event: 'order.placed', detail: null },
        { ...line, seq: 2, event: 'order.forked', detail: `from ${ORIGINAL} at event 1` },
      ],
      reference: 'R1-copy',
      model: TERMS.model,
    })
  })

  it('has no reference if the order has none', () => {
    const { order, reference } = copyOf(recordedOrder({}, { first: '', second: '' }))
    expect([order.context.references, reference]).toEqual([{ first: '', second: '' }, null])
  })
})

describe('a copy of an order', () => {
  it('has the same codes and the same time left, but its own tokens', () => {
    const original = recordedOrder()
    submitPerson(original)
    original.send(SUBMISSION, { after: 45_000 })
    const copy = copyOf(original, { at: 2 })
    expect(copy.order.context.otp).toEqual({
      issues: 1,
      issuedAt: NOW,
      code: CODE,
      expiresAt: NOW + 300_000,
      wrong: 0,
    })
    expect(copyOf(original).order.context.otp.issuedAt).toBe(NOW)
    expect(copyOf(original).journal.map(({ at }) => at - NOW)).toEqual([-46_000, -45_000, 0, 0])
    expect(inputsOf(copyOf(original))).toStrictEqual([
      {
        event: SUBMISSION,
        stepInput: {
          at: NOW - 45_000,
          random: { code: CODE, token: 'copy-1' },
          referenceIsTaken: false,
        },
      },
      {
        event: SUBMISSION,
        stepInput: { at: NOW, random: { code: CODE, token: 'copy-2' }, referenceIsTaken: false },
      },
    ])
  })

  it('asks for the reference that was given last, in its own form', () => {
    const original = recordedOrder()
    original.send({ type: 'references.given', first: 'R9', second: null })
    original.send({ type: 'references.given', first: null, second: 'S9' })
    const copy = copyOf(original)
    expect([copy.order.context.references, copy.reference]).toEqual([
      { first: 'R9-copy', second: 'S9' },
      'R9-copy',
    ])
    expect(inputsOf(copy).map(({ event }) => event)).toStrictEqual([
      { type: 'references.given', first: 'R9-copy', second: null },
      { type: 'references.given', first: null, second: 'S9' },
    ])
    original.send({ type: 'references.given', first: '', second: null })
    expect(copyOf(original).order.context.references).toEqual({ first: '', second: 'S9' })
  })

  it('can be copied too, and keeps the line that marks it', () => {
    const original = recordedOrder()
    const { placed, context } = copyOf(original).order
    const copy = { placed, references: context.references, journal: copyOf(original).journal }
    const { journal, order } = copyOf(copy, { now: NOW + DAY })
    expect(journal.map(({ seq, at, event, detail }) => [seq, at, event, detail])).toEqual([
      [1, NOW + DAY, 'order.placed', null],
      [2, NOW + DAY, 'order.forked', `from ${ORIGINAL} at event 1`],
      [3, NOW + DAY, 'order.forked', `from ${COPY} at event 2`],
    ])
    expect(order).toMatchObject({ revision: 3, context: { references: { first: 'R1-copy-copy' } } })
  })
})

describe('a later event', () => {
  /** Screened as denied, then ended by the shopper's next request. */
  const deniedOrder = (): Recorded => {
    const original = recordedOrder()
    resolveScreening(original, 'denied').reply('cards', { type: 'cards.recalled', cards: [VISA] })
    original.send(SUBMISSION)
    return original
  }

  it('happens to the copy now, once, and in the order of the journal', () => {
    const [original, apply] = [deniedOrder(), [6, 4, 5, 4, 6]]
    const copy = copyOf(original, { at: 3, apply })
    expect(copy.order.state.checkout).toBe('rejected')
    expect(copy.journal.slice(3).map(({ seq, event, at }) => [seq, event, at])).toEqual([
      [4, 'order.forked', NOW],
      [5, 'screening.resolved', NOW],
      [6, 'cards.recalled', NOW],
      [7, 'person.submitted', NOW],
    ])
    expect(inputsOf(copy).map(({ stepInput }) => stepInput.random)).toEqual(
      [1, 2, 3, 4, 5].map((drawn) => ({ code: CODE, token: `copy-${drawn}` })),
    )
  })

  it('can make the copy send an event to the merchant', () => {
    expect(Object.keys(dueTimes(copyOf(deniedOrder(), { at: 3, apply: [4, 6] })))).toEqual([
      `${COPY}:3:cards`,
      `${COPY}:6:notice`,
    ])
  })

  it('that is a reply answers what the copy awaits in the same lane', () => {
    const original = recordedOrder()
    revealOutcome(original, 'approved', FP1).reply('payment', DECLINED)
    original.reply('payment', PAID)
    const paid = original.journal.length
    const copy = copyOf(original, { at: paid - 2, apply: [paid] })
    expect(copy.order.state.checkout).toBe('confirming')
    expect(inputsOf(copy).at(-1)?.event).toEqual({
      ...PAID,
      inReplyTo: `${COPY}:${paid - 2}:payment`,
    })
  })

  it('that is a reply is not expected if the copy awaits none in its lane', () => {
    const original = recordedOrder()
    confirmWithMerchant(original)
    const accepted = original.journal.findIndex(({ event }) => event === 'ipn.accepted') + 1
    const copy = copyOf(original, { at: 1, apply: [accepted] })
    expect(copy.journal.at(-1)).toMatchObject({ detail: 'not expected any more: changes nothing' })
    expect(inputsOf(copy).at(-1)?.event).toEqual({
      type: 'ipn.accepted',
      inReplyTo: `${COPY}:${accepted - 1}:ipn`,
    })
  })
})

describe('an order is not copied', () => {
  const startScreening = (): Recorded => {
    const original = recordedOrder()
    reachScreening(original)
    return original
  }
  const change =
    (changeJournal: (journal: readonly JournalLine[]) => readonly JournalLine[]) => (): Copied => {
      const original = startScreening()
      return { ...original, journal: changeJournal(original.journal) }
    }
  const changeLine = (seq: number, changed: Partial<JournalLine>) =>
    change((journal) => journal.map((line) => (line.seq === seq ? { ...line, ...changed } : line)))
  const rejectedWithoutWebhook = (): Recorded => {
    const original = recordedOrder({ eventsWebhook: null })
    resolveScreening(original, 'denied').send(SUBMISSION)
    return original
  }
  const failed = { checkout: 'failed', risk: 'unassessed', cancellation: 'none' } as const
  const stepInput = {
    at: PLACED_AT + 2_000,
    random: { code: CODE, token: 't' },
    referenceIsTaken: false,
  }
  const ignored = { input: { event: { type: 'merchant.held' }, stepInput } } as const

  const dropped = 'The order’s journal is no longer complete: its oldest lines were dropped.'
  const noEvent = (at: number) => `at is ${at}, but the order has the events 1 to 3.`
  const notLater = (seq: number, at: number) =>
    `apply has ${seq}, which is not an event of the order after event ${at}.`
  const differs = (seq: number) =>
    `Event ${seq} of the order gives another result when it is replayed, for example because another version of plazo wrote it.`

  it.each<[why: string, makeOrder: () => Copied, request: Partial<CopyRequest>, message: string]>([
    ['its first line was dropped', change((journal) => journal.slice(1)), { at: 2 }, dropped],
    [
      'a line is missing',
      change((journal) => journal.filter(({ seq }) => seq !== 2)),
      { at: 1 },
      dropped,
    ],
    ['it has no event 0', startScreening, { at: 0 }, noEvent(0)],
    ['it is shorter', startScreening, { at: 4 }, noEvent(4)],
    [
      'the applied event is copied already',
      startScreening,
      { at: 2, apply: [3, 2] },
      notLater(2, 2),
    ],
    ['the applied event does not exist', startScreening, { at: 2, apply: [4, 3] }, notLater(4, 2)],
    [
      'the applied line has no event',
      rejectedWithoutWebhook,
      { at: 3, apply: [6] },
      notLater(6, 3),
    ],
    ['it was not placed', changeLine(1, { event: 'person.submitted' }), {}, differs(1)],
    ['it begins in another state', changeLine(1, { to: failed }), {}, differs(1)],
    ['an event has another name', changeLine(2, { event: 'person.changed' }), {}, differs(2)],
    ['an event leads to another state', changeLine(2, { to: failed }), {}, differs(2)],
    ['an event is ignored now', changeLine(3, ignored), {}, differs(3)],
  ])('if %s', (_, makeOrder, request, message) => {
    expect(tryCopy(makeOrder(), request)).toEqual(E.left(message))
  })

  it('if a step throws', () => {
    const original = startScreening()
    const failWith = (name: 'checkoutLifetime' | 'screeningWindow' | 'otpLifetime'): Terms => ({
      ...TERMS,
      rules: {
        ...TERMS.rules,
        get [name](): number {
          throw new Error('broken')
        },
      },
    })
    expect(tryCopy(original, { terms: failWith('checkoutLifetime') })).toEqual(E.left(differs(1)))
    expect(tryCopy(original, { terms: failWith('otpLifetime') })).toEqual(E.left(differs(2)))
    expect(tryCopy(original, { at: 2, apply: [3], terms: failWith('screeningWindow') })).toEqual(
      E.left('Event 3 cannot happen to the fork: broken'),
    )
  })
})
