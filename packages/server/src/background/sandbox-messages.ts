// Lists the messages that the sandbox has sent to an order's shopper. Contract §8.
import type { SandboxMessage, SandboxStore } from '@plazo/adapters/sandbox'
import type { Timers } from '@plazo/adapters/system'
import type { Clock, FullStore, Order, Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

export type SandboxMessages = (orderRef: string) => TaskEither<Unavailable, readonly SandboxMessage[]>

type SandboxMessagesParts = {
  readonly store: Pick<FullStore, 'read'>
  readonly sandboxStore: Pick<SandboxStore, 'messages'>
  readonly clock: Clock
  readonly timers: Pick<Timers, 'monotonicNow' | 'after'>
}

const WAIT_MAX = 1_000
const RETRY_INTERVAL = 10

/** True: a code was issued, and no message contains it yet. */
const isCodeUnsent = ({ context: { otp } }: Order, messages: readonly SandboxMessage[], now: number): boolean => {
  const { code, issuedAt, expiresAt } = otp
  if (code === null || issuedAt === null || now >= expiresAt) return false
  return !messages.some((message) => message.code === code && message.at >= issuedAt)
}

/**
 * The answer that asks for a code is made before the code is sent. A request right after it waits for the message, at most a
 * second.
 */
export const createSandboxMessages =
  ({ store, sandboxStore, clock, timers }: SandboxMessagesParts): SandboxMessages =>
  (orderRef) =>
  async () => {
    for (const deadline = timers.monotonicNow() + WAIT_MAX; ; ) {
      const messages = await sandboxStore.messages(orderRef)()
      const order = await store.read(orderRef)()
      if (E.isLeft(messages) || E.isLeft(order)) return messages
      if (!isCodeUnsent(order.right, messages.right, clock.now()) || timers.monotonicNow() >= deadline) return messages
      await new Promise<void>((resolve) => timers.after(RETRY_INTERVAL, resolve))
    }
  }
