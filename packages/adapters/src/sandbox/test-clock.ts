// Nobody who tries plazo out should wait a week, so the sandbox's clock can be moved forward and
// continues from there. How far it was moved lies in a record, so that it never goes back after a
// restart, and commands beside the server use the same time.
import type { Clock, Records, Unavailable } from '@plazo/core/ports'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { systemTimers, type Timers } from '../system/clock-and-ids.ts'

/** A clock that one process moves forward. */
export type TestClock = Clock & {
  /** Moves the clock forward by this many milliseconds, rounded to whole ones. One move at a time. */
  readonly advance: (millis: number) => TE.TaskEither<Unavailable, void>
}

const OFFSET = { kind: 'clock', key: 'offset' } as const

/** Makes the clock of a sandbox, moved as far as its record says. `realNow`: the clock that it adds to. */
export const createTestClock = (
  records: Pick<Records, 'list' | 'put'>,
  { realNow }: Pick<Timers, 'realNow'> = systemTimers,
): TE.TaskEither<Unavailable, TestClock> =>
  pipe(
    records.list(OFFSET),
    TE.map(([stored]) => {
      let offset = stored?.at ?? 0
      return {
        now: () => realNow() + offset,
        advance: (millis) => () => {
          const at = offset + Math.round(millis)
          const record = { ...OFFSET, orderRef: null, merchantRef: null, at, value: null }
          return pipe(
            records.put(record),
            TE.chainIOK(() => () => {
              offset = at
            }),
          )()
        },
      }
    }),
  )
