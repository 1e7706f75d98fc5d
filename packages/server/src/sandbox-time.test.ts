import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { sandboxTime } from './sandbox-time.ts'

const MINUTE = 60_000

// Something falls due each minute; the dispatcher is stopped once it has been drained so many times.
const movedUntil = (drains: number) => {
  const clock = { at: 0 }
  let drained = 0
  const time = sandboxTime(
    {
      now: () => clock.at,
      move: (millis) =>
        TE.fromIO(() => {
          clock.at += millis
        }),
      catchUp: TE.right(undefined),
    },
    { nextDueAt: () => TE.fromIO(() => (Math.floor(clock.at / MINUTE) + 1) * MINUTE) },
    { drain: async () => void drained++, isRunning: () => drained < drains },
  )
  return { clock, advanced: time.advance(10 * MINUTE) }
}

it('the clock is moved all the way while what falls due is carried out', async () => {
  const { clock, advanced } = movedUntil(Number.POSITIVE_INFINITY)
  expect(await advanced).toEqual(E.right({ now: new Date(10 * MINUTE).toISOString(), fired: [] }))
  expect(clock.at).toBe(10 * MINUTE)
})

it.each([
  [1, 0],
  [4, 3],
  [11, 10],
])('the clock is moved no further once the dispatcher is stopped, after %i drains', async (drains, minutes) => {
  const { clock, advanced } = movedUntil(drains)
  expect(await advanced).toMatchObject(E.left({ _tag: 'Unavailable' }))
  expect(clock.at).toBe(minutes * MINUTE)
})
