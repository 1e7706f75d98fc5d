// Connects everything that the sandbox observes to one recorder: requests and providers' answers.
// Production has none of it.
import { listMessages, type SandboxMessage } from '@plazo/adapters/sandbox'
import type { Timers } from '@plazo/adapters/system'
import type { EffectKind, Order } from '@plazo/core'
import {
  type Clock,
  type FullStore,
  type ProviderError,
  type ProviderReply,
  type ProviderRequest,
  type Providers,
  type Records,
  reply,
  type Unavailable,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import * as R from 'fp-ts/lib/Record.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { recordRequests } from './record-requests.ts'
import { createRecorder, RECORD_KIND } from './recorder.ts'

export type SandboxWatch = ReturnType<typeof watchSandbox>

/** The adapters that the sandbox's own parts work with. */
type SandboxParts = {
  readonly store: Pick<FullStore, 'read'>
  readonly records: Records
  readonly clock: Clock
  readonly timers: Timers
}

type ProviderCall = (
  request: ProviderRequest<EffectKind>,
) => TaskEither<ProviderError, ProviderReply<unknown>>

// Records of one order that are read at once.
const RECORDS_MAX = 1_000

export const watchSandbox = (
  {
    store,
    records,
    clock,
    timers: { monotonicNow },
  }: Pick<SandboxParts, 'store' | 'records' | 'clock' | 'timers'>,
  onFailure: (reason: Unavailable) => void,
) => {
  const merchantOf = async (orderRef: string): Promise<string | null> => {
    const order = await store.read(orderRef)()
    return E.isRight(order) ? order.right.placed.merchant.ref : null
  }

  const recorder = createRecorder({ records, clock, monotonicNow, merchantOf, onFailure })

  const recordCall =
    (call: ProviderCall): ProviderCall =>
    (request) =>
    async () => {
      const answered = await call(request)()
      const answer = E.isLeft(answered) ? reply({ error: answered.left.message }) : answered.right
      // Asking again later is not an answer.
      if (answer.type === 'later') return answered
      recorder.record(request.orderRef, {
        type: 'provider',
        effect: request.payload.kind,
        answer: answer.value,
      })
      return answered
    }

  return {
    recorder,
    recordRequests: recordRequests(recorder, clock),
    /**
     * Leaves out the requests: they hold the shopper's data, which the timeline already has in the
     * shopper's own request.
     */
    recordProviders: (providers: Providers): Providers =>
      // Every function of a provider has the shape of `ProviderCall`, for its own kind of effect.
      R.map((port: object) => R.map(recordCall)(port as Record<string, ProviderCall>))(
        providers,
      ) as unknown as Providers,
    /** The records of an order with a greater id than `after`, oldest first. */
    records: (orderRef: string, after: number) =>
      records.list({ kind: RECORD_KIND, orderRef, after, limit: RECORDS_MAX }),
    /** Without a wait for a message that is still being sent. */
    messages: listMessages(records),
  }
}

const WAIT_MAX = 1_000
const RETRY_INTERVAL = 10

type MessagesParts = Pick<SandboxParts, 'store' | 'records' | 'clock'> & {
  readonly timers: Pick<Timers, 'monotonicNow' | 'after'>
}

/** True: a code was issued, and no message contains it yet. */
const isCodeUnsent = (
  { context: { otp } }: Order,
  messages: readonly SandboxMessage[],
  now: number,
): boolean => {
  const { code, issuedAt, expiresAt } = otp
  if (code === null || issuedAt === null || now >= expiresAt) return false
  return !messages.some((message) => message.code === code && message.at >= issuedAt)
}

/**
 * The answer that asks for a code is made before the code is sent. A request right after it waits
 * for the message, at most a second.
 */
export const createSandboxMessages =
  ({ store, records, clock, timers }: MessagesParts): SandboxWatch['messages'] =>
  (orderRef) =>
  async () => {
    const readMessages = listMessages(records)(orderRef)
    for (const deadline = timers.monotonicNow() + WAIT_MAX; ; ) {
      const messages = await readMessages()
      const order = await store.read(orderRef)()
      if (E.isLeft(messages) || E.isLeft(order)) return messages
      if (
        !isCodeUnsent(order.right, messages.right, clock.now()) ||
        timers.monotonicNow() >= deadline
      )
        return messages
      await new Promise<void>((resolve) => timers.after(RETRY_INTERVAL, resolve))
    }
  }
