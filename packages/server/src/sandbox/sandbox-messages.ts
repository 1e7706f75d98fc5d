// Lists the SMS of an order, also one that is still being sent: developers read the code right after
// the request that asks for it.
import { listMessages, type SandboxMessage } from '@plazo/adapters/sandbox'
import type { Timers } from '@plazo/adapters/system'
import type { Order } from '@plazo/core'
import type { Clock, FullStore, Records, Unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

export type MessagesOf = (orderRef: string) => TaskEither<Unavailable, readonly SandboxMessage[]>

const WAIT_MAX = 1_000
const RETRY_INTERVAL = 10

type MessagesParts = {
  readonly store: Pick<FullStore, 'read'>
  readonly records: Pick<Records, 'list'>
  readonly clock: Clock
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
  ({ store, records, clock, timers }: MessagesParts): MessagesOf =>
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
