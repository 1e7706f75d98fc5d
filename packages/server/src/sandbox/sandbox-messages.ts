// Lists the SMS of an order, also one that is still being sent: developers read the code right after
// the request that asks for it.
import { listMessages, type SandboxMessage } from '@plazo/adapters/sandbox'
import type { Timers } from '@plazo/adapters/system'
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

/**
 * The answer that asks for a code is made before the code is sent. A request right after it waits
 * for the message, at most a second.
 */
export const createSandboxMessages =
  ({ store, records, clock, timers }: MessagesParts): MessagesOf =>
  (orderRef) =>
  async () => {
    const deadline = timers.monotonicNow() + WAIT_MAX
    for (;;) {
      const messages = await listMessages(records)(orderRef)()
      const order = await store.read(orderRef)()
      if (E.isLeft(messages) || E.isLeft(order)) return messages
      const { code, issuedAt, expiresAt } = order.right.context.otp
      const isSent = messages.right.some((each) => each.code === code && each.at >= (issuedAt ?? 0))
      const isOver = clock.now() >= expiresAt || timers.monotonicNow() >= deadline
      if (code === null || isSent || isOver) return messages
      await new Promise<void>((resolve) => timers.after(RETRY_INTERVAL, resolve))
    }
  }
