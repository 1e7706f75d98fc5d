// A clock that can be moved forward and then goes on from there; how far it was moved is kept on the shelf.

import type { Clock, Unavailable } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { systemTimers, type Timers } from '../system/timers.ts'
import type { SandboxShelf } from './shelf.ts'

export type MovableClock = Clock & {
  /** Forward by so many milliseconds, whole ones. */
  readonly move: (millis: number) => TE.TaskEither<Unavailable, void>
}

export const movableClock = (
  shelf: SandboxShelf,
  { realNow }: Pick<Timers, 'realNow'> = systemTimers,
): TE.TaskEither<Unavailable, MovableClock> =>
  pipe(
    shelf.clockOffset(),
    TE.map((kept) => {
      let offset = kept
      return {
        now: () => realNow() + offset,
        move: (millis) =>
          pipe(
            TE.fromIO(() => offset + Math.round(millis)),
            TE.tap(shelf.moveClock),
            TE.chainIOK((moved) => () => {
              offset = moved
            }),
          ),
      }
    }),
  )
