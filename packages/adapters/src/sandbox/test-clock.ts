// Nobody who tries plazo out should wait a week, so the sandbox's clock can be moved forward and
// continues from there. The sandbox store keeps how far it was moved, because several servers may
// share it.
import type { Clock, Unavailable } from '@plazo/core/ports'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { systemTimers, type Timers } from '../system/clock-and-ids.ts'
import type { SandboxStore } from './sandbox-store.ts'

export type TestClock = Clock & {
  /** Moves the clock forward by this many milliseconds, rounded to whole ones. */
  readonly advance: (millis: number) => TE.TaskEither<Unavailable, void>
  /** Moves the clock to where another server has moved it. */
  readonly catchUp: TE.TaskEither<Unavailable, void>
}

/**
 * `realNow`: this computer's clock by default. If servers share the store, give the clock that they
 * share.
 */
export const createTestClock = (
  store: SandboxStore,
  { realNow }: Pick<Timers, 'realNow'> = systemTimers,
): TE.TaskEither<Unavailable, TestClock> => {
  let offset = 0
  // An offset that was read before a move may arrive after it.
  const applyOffset = TE.chainIOK((ahead: number) => () => {
    offset = Math.max(offset, ahead)
  })
  const catchUp = pipe(store.clockOffset(), applyOffset)
  return pipe(
    catchUp,
    TE.map(() => ({
      now: () => realNow() + offset,
      advance: (millis) => pipe(store.moveClock(Math.round(millis)), applyOffset),
      catchUp,
    })),
  )
}
