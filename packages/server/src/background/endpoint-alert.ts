// Alerts an operator to a shop that fails, while its orders can still be saved, and tells when it is
// well again. Each server looks at all shops, so each logs both. Contract §6.
import type { Timers } from '@plazo/adapters/internal/system'
import type { Clock, Endpoint, FullStore, Unavailable } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Log } from '../log/log.ts'

const INTERVAL = 120_000
const FAILING_FOR = 15 * 60_000
const FAILURES_MIN = 3
const LISTED_MAX = 100

/** Only failures, for a while: one failed attempt may be one order's fault. */
export const isFailing = (
  { failingSince, failures }: Pick<Endpoint, 'failingSince' | 'failures'>,
  now: number,
): boolean => failingSince !== null && now - failingSince >= FAILING_FOR && failures >= FAILURES_MIN

/** The endpoints that fail, the longest failing first; at most 100. */
export const readFailing =
  ({ endpoints }: Pick<FullStore, 'endpoints'>, clock: Clock) =>
  async (): Promise<E.Either<Unavailable, readonly Endpoint[]>> =>
    E.map((all: readonly Endpoint[]) => all.filter((each) => isFailing(each, clock.now())))(
      await endpoints.list({ merchantRef: null, isFailing: true, limit: LISTED_MAX })(),
    )

const keyOf = ({ merchantRef, kind }: Endpoint): string => `${kind} ${merchantRef}`

/** `read`: the endpoints that fail now. */
export const startEndpointAlert = (
  read: ReturnType<typeof readFailing>,
  timers: Pick<Timers, 'after'>,
  log: Log,
) => {
  let alerted = new Map<string, Endpoint>()
  let isStopping = false

  const look = async (): Promise<void> => {
    const failing = await read()
    if (E.isRight(failing)) {
      const now = new Map(failing.right.map((each) => [keyOf(each), each]))
      for (const [key, { merchantRef, kind, failingSince }] of now)
        if (!alerted.has(key))
          log('endpoint_failing', {
            merchant_ref: merchantRef,
            kind,
            since: new Date(failingSince ?? 0).toISOString(),
          })
      for (const [key, { merchantRef, kind }] of alerted)
        if (!now.has(key)) log('endpoint_recovered', { merchant_ref: merchantRef, kind })
      alerted = now
    }
    if (!isStopping) timer = timers.after(INTERVAL, look)
  }

  let timer = timers.after(INTERVAL, look)
  return {
    stop: (): void => {
      isStopping = true
      timer.cancel()
    },
  }
}
