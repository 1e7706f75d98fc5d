// Stored orders in every state, as each version of plazo wrote them, so that every later version must be able to read them.
// `node test/faults/properties/stored-orders.ts` writes those of the current version. Files of released versions are never written again.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { memoryStore } from '@plazo/adapters/memory'
import {
  decodePlaced,
  decodeSnapshot,
  encodePlaced,
  encodeSnapshot,
  type Order,
  REGIONS,
  SNAPSHOT_VERSION,
  type StoredOrder,
  stateOnWire,
  step,
  type Terms,
  waitAction,
} from '@plazo/core/internal'
import { alongShortestPaths, openHarness } from '@plazo/core/testing'
import * as E from 'fp-ts/lib/Either.js'

/** A stored order with the values it must decode to: its three states on the wire, and the action that wait answered. */
export type KeptOrder = StoredOrder & { readonly state: string; readonly wait: string }

const folder = fileURLToPath(new URL('./stored-orders', import.meta.url))

export const storedOrderTerms = async (): Promise<Terms> =>
  (await openHarness(memoryStore())).host.terms

const stateOf = ({ state }: Order): string =>
  REGIONS.map((region) => stateOnWire(state)[region]).join(' ')

/** An order in each reachable combination of states, by the shortest path. */
const ordersOfEveryState = async (): Promise<readonly KeptOrder[]> => {
  const harness = await openHarness(memoryStore())
  const { terms } = harness.host
  const orders = new Map<string, KeptOrder>()
  const keep = (order: Order): void => {
    // The machine's state names are more detailed than the wire's, which has a single state for an ID check.
    const name = REGIONS.map((region) => order.state[region]).join(' ')
    if (orders.has(name)) return
    const { revision, placed, context } = order
    const stored = { placed: encodePlaced(placed), revision, snapshot: encodeSnapshot(order) }
    orders.set(name, {
      ...stored,
      state: stateOf(order),
      wait: waitAction(order, terms, context.updatedAt).action,
    })
  }
  const first = await harness.order()
  keep(first)
  alongShortestPaths(first.placed, terms, ({ result }) => keep(result.order))
  return [...orders.values()]
}

/** The errors that this version makes in reading the order, one sentence each. */
export const readingFaults = (
  terms: Terms,
  { state, wait, ...stored }: KeptOrder,
): readonly string[] => {
  const placed = decodePlaced(stored.placed)
  if (E.isLeft(placed)) return placed.left
  const changing = decodeSnapshot(stored.snapshot)
  if (E.isLeft(changing)) return changing.left
  const order = { placed: placed.right, revision: stored.revision, ...changing.right }
  const updated = step(terms)(
    order,
    { type: 'order.updated' },
    { at: order.context.updatedAt, random: { code: '00000', token: 't' }, referenceIsTaken: false },
  )
  if (E.isLeft(updated)) return [`It accepts no event: ${updated.left.message}`]
  const answered = waitAction(order, terms, order.context.updatedAt).action
  return [
    ...(stateOf(order) === state ? [] : [`It was ${state}, and is read as ${stateOf(order)}.`]),
    ...(answered === wait ? [] : [`Wait answered ${wait}, and answers ${answered}.`]),
  ]
}

/** The kept orders, by the version that wrote them. */
export const keptOrders = (): ReadonlyMap<number, readonly KeptOrder[]> =>
  new Map(
    readdirSync(folder).map((file) => [
      Number(/^v(\d+)\.json$/.exec(file)?.[1]),
      JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as readonly KeptOrder[],
    ]),
  )

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const orders = await ordersOfEveryState()
  writeFileSync(
    `${folder}/v${SNAPSHOT_VERSION}.json`,
    `[\n${orders.map((order) => JSON.stringify(order)).join(',\n')}\n]\n`,
  )
}
