// Connects everything that the sandbox observes to one recorder: requests, providers' answers, and webhooks. Production has none
// of it.
import type { SendRequest } from '@plazo/adapters/http'
import type { SandboxStore } from '@plazo/adapters/sandbox'
import type { Timers } from '@plazo/adapters/system'
import type { Clock, FullStore, Providers, Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { MiddlewareHandler } from 'hono'
import type { TimelineParts } from './order-timeline.ts'
import { recordProviders } from './record-providers.ts'
import { recordRequests } from './record-requests.ts'
import { createRecorder } from './recorder.ts'
import { type Intercept, recordSent, sendUnchanged } from './sandbox-gateway.ts'

/** The faults that are set for merchants' webhooks. */
export type WebhookFaults = {
  readonly isSet: (merchantRef: string) => boolean
  readonly intercept: Intercept
}

const NO_FAULTS: WebhookFaults = { isSet: () => false, intercept: sendUnchanged }

export type WebhookWatch = {
  /** True if a merchant's webhooks are sent where they can be observed. */
  readonly isWatching: (merchantRef: string) => boolean
  readonly wrapSend: (send: SendRequest) => SendRequest
}

export type SandboxWatch = {
  readonly recordRequests: MiddlewareHandler
  readonly watchProviders: (providers: Providers) => Providers
  readonly webhooks: WebhookWatch
  readonly records: TimelineParts['records']
  readonly messages: TimelineParts['messages']
  /** Resolves once all records are stored. */
  readonly drain: () => Promise<void>
}

// Of one order, in one answer.
const RECORDS_MAX = 1_000

type WatchParts = {
  readonly store: Pick<FullStore, 'read'>
  readonly sandboxStore: SandboxStore
  readonly clock: Clock
  readonly timers: Pick<Timers, 'monotonicNow'>
}

export const watchSandbox = (
  { store, sandboxStore, clock, timers }: WatchParts,
  onFailure: (reason: Unavailable) => void,
  faults: WebhookFaults = NO_FAULTS,
): SandboxWatch => {
  const { monotonicNow } = timers
  const recorder = createRecorder({ store: sandboxStore, clock, monotonicNow, onFailure })

  const merchantOf = async (orderRef: string): Promise<string | null> => {
    const order = await store.read(orderRef)()
    return E.isRight(order) ? order.right.placed.merchant.ref : null
  }

  return {
    recordRequests: recordRequests(recorder, clock, merchantOf),
    watchProviders: (providers) => recordProviders(providers, recorder, merchantOf),
    webhooks: {
      isWatching: (merchantRef) => faults.isSet(merchantRef) || recorder.isOpen(),
      wrapSend: (send) => recordSent(recorder, faults.intercept, send),
    },
    records: (orderRef, after) => sandboxStore.records({ orderRef }, after, RECORDS_MAX),
    messages: sandboxStore.messages,
    drain: recorder.drain,
  }
}
