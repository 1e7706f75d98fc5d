// The journal lines because of which an order is in its states. A line is left out of a replay, and
// if the order still reaches the state, the line is no cause of it.
import * as E from 'fp-ts/lib/Either.js'
import type { Terms } from '../order/model.ts'
import type { Order, Region } from '../order/order.ts'
import { initialStep, type JournalLine, step } from '../order/step.ts'

/** A journal line that can be replayed. */
type Replayable = JournalLine & { readonly input: NonNullable<JournalLine['input']> }

/** The order after the line. Null: the order refuses it. */
type Replay = (order: Order | null, line: Replayable) => Order | null

const isReplayable = (line: JournalLine): line is Replayable => line.input !== null

/**
 * Replays lines with their numbers in the whole journal. So an effect has its old key, and an answer
 * still belongs to the effect that it answered, no matter which other lines are left out.
 */
const replayWith =
  (terms: Terms): Replay =>
  (order, { seq, input }) => {
    if (order === null) return null
    const numbered = { ...order, revision: seq - 1 }
    const next = step(terms)(numbered, input.event, input.stepInput)
    return E.isRight(next) ? next.right.order : null
  }

/** The order before each line, and after the last. */
const replayAll = (replay: Replay, placed: Order, lines: readonly Replayable[]) => {
  const orders: (Order | null)[] = [placed]
  for (const line of lines) orders.push(replay(orders.at(-1) ?? null, line))
  return orders
}

type IsReached = (order: Order | null) => boolean

/**
 * Those of the lines that lead to the state if nothing else is replayed: without any one of them the
 * order is elsewhere. Tries to leave out one line after another, the newest first, because a state
 * is older than what only repeats it. So each trial replays only what was necessary behind the line, and
 * all trials together cost little more than one replay.
 */
const necessaryLines = (
  replay: Replay,
  orders: readonly (Order | null)[],
  lines: readonly Replayable[],
  isReached: IsReached,
): readonly Replayable[] => {
  const necessary: Replayable[] = []
  for (const [index, line] of [...lines.entries()].reverse()) {
    const withoutIt = necessary.reduce(replay, orders[index] ?? null)
    if (!isReached(withoutIt)) necessary.unshift(line)
  }
  const [placed] = orders
  if (necessary.length === lines.length || !placed) return necessary
  // A line may have been needed only with one before it that is left out by now.
  return necessaryLines(replay, replayAll(replay, placed, necessary), necessary, isReached)
}

/** For each region, the numbers of the lines. */
type Causes = { readonly [region in Region]: readonly number[] }

/**
 * `journal`: the first lines of the order's journal. No causes: the order is in its initial state,
 * or the lines do not lead to its state, for example because they were erased.
 */
export const causesOf =
  (terms: Terms) =>
  ({ placed, state, context }: Order, journal: readonly JournalLine[]): Causes => {
    const noRandom = { random: { code: '', token: '' }, referenceIsTaken: false }
    const first = initialStep(terms)(placed, context.references, {
      at: placed.placedAt,
      ...noRandom,
    })
    const replay = replayWith(terms)
    const lines = journal.filter(isReplayable)
    const orders =
      E.isRight(first) && journal[0]?.seq === 1 ? replayAll(replay, first.right.order, lines) : []
    const causesIn = (region: Region): readonly number[] => {
      const isReached: IsReached = (order) => order?.state[region] === state[region]
      return isReached(orders[0] ?? null) || !isReached(orders.at(-1) ?? null)
        ? []
        : necessaryLines(replay, orders, lines, isReached).map(({ seq }) => seq)
    }
    return {
      checkout: causesIn('checkout'),
      risk: causesIn('risk'),
      cancellation: causesIn('cancellation'),
    }
  }
