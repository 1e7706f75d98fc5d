// The sandbox's own data in memory, for tests and embedding.
import type { SavedCard } from '@plazo/core/protocol'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { SandboxMessage, SandboxRecord, SandboxStore } from '../sandbox/sandbox-store.ts'

export const memorySandboxStore = (): SandboxStore => {
  const messages = new Map<string, SandboxMessage>()
  const cards = new Map<string, readonly SavedCard[]>()
  let offset = 0
  let records: readonly SandboxRecord[] = []
  let lastId = 0
  const settings = new Map<
    string,
    { readonly merchantRef: string; readonly name: string; readonly value: string }
  >()
  const ofOwner = (owner: string): readonly SavedCard[] => cards.get(owner) ?? []
  return {
    addMessage: (message) =>
      TE.fromIO(() => {
        if (!messages.has(message.key)) messages.set(message.key, message)
      }),
    messages: (orderRef) =>
      TE.fromIO(() => [...messages.values()].filter((message) => message.orderRef === orderRef)),
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
    addRecord: (record, keepLast) =>
      TE.fromIO(() => {
        lastId += 1
        records = [...records, { ...record, id: lastId }]
        if (keepLast === undefined) return
        const isKind = ({ merchantRef, kind }: SandboxRecord) =>
          merchantRef === record.merchantRef && kind === record.kind
        const dropped = new Set(records.filter(isKind).slice(0, -keepLast))
        records = records.filter((each) => !dropped.has(each))
      }),
    records: (filter, after, limit) =>
      TE.fromIO(() =>
        records
          .filter((record) =>
            'orderRef' in filter
              ? record.orderRef === filter.orderRef
              : record.merchantRef === filter.merchantRef && record.kind === filter.kind,
          )
          .filter(({ id }) => id > after)
          .slice(0, limit),
      ),
    setSetting: (merchantRef, name, value) =>
      TE.fromIO(() => {
        const key = JSON.stringify([merchantRef, name])
        if (value === null) settings.delete(key)
        else settings.set(key, { merchantRef, name, value })
      }),
    settings: (prefix) =>
      TE.fromIO(() =>
        [...settings.values()]
          .filter(({ name }) => name.startsWith(prefix))
          .sort((one, other) =>
            `${one.merchantRef} ${one.name}` < `${other.merchantRef} ${other.name}` ? -1 : 1,
          ),
      ),
  }
}
