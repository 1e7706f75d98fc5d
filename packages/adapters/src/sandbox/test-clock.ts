// Nobody who tries plazo out should wait a week, so the sandbox's clock can be moved forward and
// continues from there. Several servers may share a clock: each keeps in a record how far it has
// moved it, so that none overwrites the move of another.
import { randomUUID } from 'node:crypto'
import type { Clock, Records, Unavailable } from '@plazo/core/ports'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { systemTimers, type Timers } from '../system/clock-and-ids.ts'

/** A clock that can be moved forward, for all servers on one store. */
export type TestClock = Clock & {
  /** Moves the clock forward by this many milliseconds, rounded to whole ones. */
  readonly advance: (millis: number) => TE.TaskEither<Unavailable, void>
  /** Moves the clock to where another server has moved it. */
  readonly catchUp: TE.TaskEither<Unavailable, void>
}

const KIND = 'clock'

/**
 * Makes the clock of a sandbox, moved as far as its records say. `realNow`: this computer's clock
 * by default. If servers share the store, give the clock that they share.
 */
export const createTestClock = (
  records: Pick<Records, 'list' | 'put'>,
  { realNow }: Pick<Timers, 'realNow'> = systemTimers,
): TE.TaskEither<Unavailable, TestClock> => {
  const key = randomUUID()
  let offset = 0
  let lastMove: Promise<unknown> = Promise.resolve()

  // An offset that was read before a move may arrive after it.
  const raiseOffset = (ahead: number): void => {
    offset = Math.max(offset, ahead)
  }

  const move = (millis: number): TE.TaskEither<Unavailable, void> =>
    pipe(
      records.list({ kind: KIND }),
      TE.chain((moves) => {
        const at = (moves.find((each) => each.key === key)?.at ?? 0) + millis
        return pipe(
          records.put({ kind: KIND, key, orderRef: null, merchantRef: null, at, value: null }),
          TE.map(() => raiseOffset(sumOf(moves) + millis)),
        )
      }),
    )

  const catchUp = pipe(
    records.list({ kind: KIND }),
    TE.map((moves) => raiseOffset(sumOf(moves))),
  )
  return pipe(
    catchUp,
    TE.map(() => ({
      now: () => realNow() + offset,
      advance: (millis) => () => {
        // A move adds to what this process has moved before, so one runs at a time.
        const moved = lastMove.then(move(Math.round(millis)))
        lastMove = moved
        return moved
      },
      catchUp,
    })),
  )
}

/** `at`: how many milliseconds one process has moved the clock. */
const sumOf = (moves: readonly { readonly at: number }[]): number =>
  moves.reduce((sum, { at }) => sum + at, 0)
