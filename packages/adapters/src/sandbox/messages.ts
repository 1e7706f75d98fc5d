// The SMS that the sandbox's provider "sent". Its shoppers read them on a page, because nothing is
// sent to a phone.
import type { Records, Unavailable } from '@plazo/core/ports'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** An SMS that was not sent to a phone. `at` is domain time, epoch milliseconds. */
export type SandboxMessage = {
  /** The effect's key. */
  readonly key: string
  readonly orderRef: string
  readonly at: number
  readonly to: string
  readonly text: string
  readonly code: string
}

const KIND = 'message'

export const addMessage = (
  records: Pick<Records, 'add'>,
  { orderRef, at, ...value }: SandboxMessage,
): TE.TaskEither<Unavailable, number> =>
  records.add({ kind: KIND, orderRef, merchantRef: null, at, value })

/** Oldest first. A message that was added again after a crash is listed once, as it was first. */
export const listMessages =
  (records: Pick<Records, 'list'>) =>
  (orderRef: string): TE.TaskEither<Unavailable, readonly SandboxMessage[]> =>
    pipe(
      records.list({ kind: KIND, orderRef }),
      TE.map((stored) => {
        const messages = new Map<string, SandboxMessage>()
        for (const { at, value } of stored) {
          // Only this file writes these records.
          const content = value as Omit<SandboxMessage, 'orderRef' | 'at'>
          const message = { ...content, orderRef, at }
          if (!messages.has(message.key)) messages.set(message.key, message)
        }
        return [...messages.values()]
      }),
    )
