// Deletes old, finished deliveries, and counts of codes, in the background without disturbing the server: one small commit
// at a time, with a pause in between. Contract §7, RETAIN_DELIVERIES.
import type { Timers } from '@plazo/adapters/internal/system'
import type { Clock, DroppedBatch, FullStore, Unavailable } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Log } from '../log/log.ts'
import type { Config } from '../settings/config.ts'

type RetentionParts = Pick<Config, 'retainDeliveries'> & {
  readonly store: Pick<FullStore, 'retention' | 'endpoints'>
  readonly clock: Clock
  /** Real milliseconds between two passes. */
  readonly every?: number | undefined
  readonly timers: Timers
  readonly log: Log
}

const PASS_INTERVAL = 10 * 60_000
const BATCH_ROWS = 100
const PAUSE = 500
const DAY = 24 * 60 * 60_000

export const startRetention = ({
  store,
  clock,
  retainDeliveries,
  every = PASS_INTERVAL,
  timers,
  log,
}: RetentionParts) => {
  let isStopping = false
  let endPause = (): void => {}

  const pause = (millis: number): Promise<void> =>
    new Promise((resolve) => {
      if (isStopping) return resolve()
      const timer = timers.after(millis, resolve)
      endPause = () => {
        timer.cancel()
        resolve()
      }
    })

  const dropDeliveries = async (age: number): Promise<void> => {
    const before = clock.now() - age
    let count = 0
    for (let after: number | null = 0; after !== null && !isStopping; ) {
      const batch: E.Either<Unavailable, DroppedBatch> = await store.retention.dropDeliveries({
        before,
        after,
        rows: BATCH_ROWS,
      })()
      if (E.isLeft(batch)) {
        log('nothing_dropped', { reason: batch.left })
        break
      }
      count += batch.right.count
      after = batch.right.next
      if (after !== null) await pause(PAUSE)
    }
    if (count > 0) log('deliveries_dropped', { count })
  }

  const run = async (): Promise<void> => {
    while (!isStopping) {
      await pause(every)
      // If it fails, the next pass forgets them.
      await store.retention.dropCodeCounts(clock.now() - DAY)()
      if (retainDeliveries !== null) await dropDeliveries(retainDeliveries)
    }
  }
  const running = run()

  return {
    /** Resolves once the current batch is committed. */
    stop: (): Promise<void> => {
      isStopping = true
      endPause()
      return running
    },
  }
}
