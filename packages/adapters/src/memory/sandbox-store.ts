// The sandbox's messages, saved cards and clock offset in memory, for tests and embedding.

import type { SavedCard } from '@plazo/core'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { SandboxMessage, SandboxStore } from '../sandbox/sandbox-store.ts'

export const memorySandboxStore = (): SandboxStore => {
  const messages = new Map<string, SandboxMessage>()
  const cards = new Map<string, readonly SavedCard[]>()
  let offset = 0
  const ofOwner = (owner: string): readonly SavedCard[] => cards.get(owner) ?? []
  return {
    addMessage: (message) =>
      TE.fromIO(() => {
        if (!messages.has(message.key)) messages.set(message.key, message)
      }),
    messages: (orderRef) => TE.fromIO(() => [...messages.values()].filter((message) => message.orderRef === orderRef)),
    keepCard: (_, owner, card) =>
      TE.fromIO(() => {
        cards.set(owner, [...ofOwner(owner).filter(({ token }) => token !== card.token), card])
      }),
    cards: (owner) => TE.fromIO(() => ofOwner(owner)),
    clockOffset: () => TE.fromIO(() => offset),
    moveClock: (millis) =>
      TE.fromIO(() => {
        offset += millis
        return offset
      }),
  }
}
