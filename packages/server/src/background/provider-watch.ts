// A provider that does not answer makes every shopper wait, and its failures are spread over many
// orders. Each server remembers how its own last calls of each port ended.
import {
  type Clock,
  mapProviderCalls,
  type ProviderPort,
  type Providers,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { isFailing } from './endpoint-alert.ts'

/** All calls since this instant, domain time, have failed. */
export type FailingProvider = {
  readonly port: ProviderPort
  readonly failingSince: number
  readonly failures: number
}

export type ProviderWatch = ReturnType<typeof createProviderWatch>

export const createProviderWatch = (clock: Clock) => {
  const failing = new Map<ProviderPort, FailingProvider>()

  const note = (port: ProviderPort, isFailure: boolean): void => {
    const { failingSince = clock.now(), failures = 0 } = failing.get(port) ?? {}
    if (isFailure) failing.set(port, { port, failingSince, failures: failures + 1 })
    else failing.delete(port)
  }

  return {
    /** Notes how each call of these providers ends. */
    watch: (providers: Providers): Providers =>
      mapProviderCalls(providers, (call, port) => (request) => async () => {
        try {
          const answer = await call(request)()
          note(port, E.isLeft(answer))
          return answer
        } catch (thrown) {
          note(port, true)
          throw thrown
        }
      }),
    /** Those that have failed for as long as a shop is alerted for. */
    readFailing: (): readonly FailingProvider[] =>
      [...failing.values()].filter((each) => isFailing(each, clock.now())),
  }
}
