// Moves the sandbox's clock forward from one due effect to the next, so that everything happens in its order and at
// its instant. Contract §8, the clock.

import type { MovableClock } from '@plazo/adapters/sandbox'
import { systemTimers, type Timers } from '@plazo/adapters/system'
import type { Advanced, Backlog, Entry, Store, Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Dispatcher } from './dispatcher.ts'

type Fired = Advanced['fired'][number]

export type SandboxTime = {
  readonly now: () => number
  /** Goes on to where another server has moved it. */
  readonly catchUp: TaskEither<Unavailable, void>
  /** Null while another advance runs; what fired, once it has. Left, somewhere on the way, when the store is away or the server stops. */
  readonly advance: (millis: number) => Promise<E.Either<Unavailable, Advanced>> | null
  /** To be told of every entry that was carried out. */
  readonly note: (entry: Entry) => void
}

const whatOf = ({ work }: Entry): string => {
  switch (work.kind) {
    case 'timer':
      return `timer ${work.timer.slice(0, work.timer.indexOf('.'))}`
    case 'event':
      return `event ${work.event}`
    default:
      return work.kind
  }
}

const byInstant = (a: Fired, b: Fired): number => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)

/** Real milliseconds. */
const LOOK_AGAIN = 20

const nextOf = ({ nextDueAt }: Backlog): number | null => {
  const instants = Object.values(nextDueAt).filter((at) => at !== null)
  return instants.length === 0 ? null : Math.min(...instants)
}

const STOPPING: E.Either<Unavailable, never> = E.left({ _tag: 'Unavailable', message: 'the server stops' })

export const sandboxTime = (
  clock: MovableClock,
  store: Pick<Store, 'backlog'>,
  dispatcher: Pick<Dispatcher, 'drain' | 'inFlight' | 'isRunning'>,
  timers: Pick<Timers, 'after'> = systemTimers,
): SandboxTime => {
  let fired: Fired[] | null = null

  const pause = (): Promise<void> => new Promise((resolve) => timers.after(LOOK_AGAIN, resolve))

  /** Once nothing due is in flight, at another server neither: when the next falls due. */
  const settled = async (): Promise<E.Either<Unavailable, number | null>> => {
    for (;;) {
      await dispatcher.drain()
      const backlog = await store.backlog()()
      if (E.isLeft(backlog)) return backlog
      // Nothing fires any more: the rest of the way is left for whoever comes next.
      if (!dispatcher.isRunning()) return STOPPING
      // What has begun here since was caused meanwhile: shoppers who go on do not hold the clock.
      if (backlog.right.inFlight <= dispatcher.inFlight()) return E.right(nextOf(backlog.right))
      await pause()
    }
  }

  const run = async (millis: number): Promise<E.Either<Unavailable, unknown>> => {
    let overdueSince: number | null = null
    for (let left = millis; ; ) {
      const before = clock.now()
      const next = await settled()
      if (E.isLeft(next)) return next
      const dueAt = next.right
      const wait = dueAt === null ? Number.POSITIVE_INFINITY : dueAt - clock.now()
      // What has fallen due since the drain began is carried out before the clock moves on. What was due by then and
      // still stands after another drain cannot be carried out now, and does not hold the clock.
      if (dueAt !== null && wait <= 0 && (dueAt >= before || dueAt !== overdueSince)) {
        // Another server may be writing its order at this moment.
        if (dueAt < before) await pause()
        overdueSince = dueAt
        continue
      }
      overdueSince = null
      const step = wait <= 0 || wait > left ? left : wait
      const moved = await clock.move(step)()
      left -= step
      if (E.isLeft(moved)) return moved
      if (left <= 0) return settled()
    }
  }

  return {
    now: clock.now,
    catchUp: clock.catchUp,
    note: (entry) => {
      fired?.push({ at: new Date(entry.startedAt).toISOString(), order_ref: entry.orderRef, what: whatOf(entry) })
    },
    advance: (millis) => {
      if (fired !== null) return null
      const mine: Fired[] = []
      fired = mine
      return (
        run(millis)
          .finally(() => {
            fired = null
          })
          // What began together may have ended in another order.
          .then(E.map(() => ({ now: new Date(clock.now()).toISOString(), fired: mine.toSorted(byInstant) })))
      )
    },
  }
}
