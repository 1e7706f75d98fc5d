// A clock that can be moved forward and then goes on from there; how far it was moved is kept on the shelf, which servers
// may share.

import type { Clock, Unavailable } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { systemTimers, type Timers } from '../system/timers.ts'
import type { SandboxShelf } from './shelf.ts'

export type MovableClock = Clock & {
  /** Forward by so many milliseconds, whole ones. */
  readonly move: (millis: number) => TE.TaskEither<Unavailable, void>
  /** Goes on to where another server has moved it. */
  readonly catchUp: TE.TaskEither<Unavailable, void>
}

/** `realNow`: of the computer, unless there is a clock that all who share the shelf go by. */
export const movableClock = (
  shelf: SandboxShelf,
  { realNow }: Pick<Timers, 'realNow'> = systemTimers,
): TE.TaskEither<Unavailable, MovableClock> => {
  let offset = 0
  // What was read before a move may come after it.
  const goOn = TE.chainIOK((ahead: number) => () => {
    offset = Math.max(offset, ahead)
  })
  const catchUp = pipe(shelf.clockOffset(), goOn)
  return pipe(
    catchUp,
    TE.map(() => ({
      now: () => realNow() + offset,
      move: (millis) =>
        pipe(
          TE.fromIO(() => Math.round(millis)),
          TE.chain(shelf.moveClock),
          goOn,
        ),
      catchUp,
    })),
  )
}
