// Erasing a shopper's data leaves the forks of their order as they are. So the sandbox remembers
// each order's forks, and the erasure names them.
import type { SandboxStore } from '@plazo/adapters/sandbox'
import type { ForkLinks, Order } from '@plazo/core'
import type { Unavailable } from '@plazo/core/ports'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

export const SINK_PATH = '/sandbox/sink'

/** Accepts what forks send that call no merchant. */
export const sinkUrl = (baseUrl: string): string => `${baseUrl}${SINK_PATH}`

const prefixOf = (orderRef: string): string => `fork ${orderRef} `

export const forkLinks = (store: Pick<SandboxStore, 'setSetting'>): ForkLinks => {
  const set = ({ placed }: Order, forkRef: string, value: string | null) =>
    store.setSetting(placed.merchant.ref, `${prefixOf(placed.orderRef)}${forkRef}`, value)
  return {
    add: (original, forkRef) => set(original, forkRef, ''),
    remove: (original, forkRef) => set(original, forkRef, null),
  }
}

/** The uuids of an order's forks. After a crash there may be one that was never stored. */
export const forksOf = (
  store: Pick<SandboxStore, 'settings'>,
  orderRef: string,
): TE.TaskEither<Unavailable, readonly string[]> =>
  pipe(
    store.settings(prefixOf(orderRef)),
    TE.map((settings) => settings.map(({ name }) => name.slice(prefixOf(orderRef).length))),
  )
