// Measures the cost of claiming with few and with very many finished deliveries stored.
import * as E from 'fp-ts/lib/Either.js'
import { countIn, fillWithOrders } from './copy-orders.ts'
import { fill, hostOn } from './fill.ts'
import { storedOrders } from './growth.ts'
import { type OpenedStore, openStoreAt } from './open-store.ts'
import { startSink } from './processes.ts'
import { inRounds, type Part, type PartOptions, type PartResult, type Sample } from './rounds.ts'
import { called } from './stores.ts'

// Each finished order leaves one finished delivery: the event that reports its risk.
const ORDERS = { full: [1000, 1_000_000], small: [20, 60] } as const
const PENDING = { full: 12_000, small: 64 } as const
const TOGETHER = 64
// The default of a server.
const PER_ACCOUNT = 4

const request = () => ({
  at: Date.now(),
  capacity: { deliveries: TOGETHER, notGood: TOGETHER, internal: 0 },
  perAccount: PER_ACCOUNT,
})

const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left))
  return result.right
}

/** Claims until nothing is left. Only the claims are timed. */
const claimAll = async ({ store }: OpenedStore): Promise<Sample> => {
  let millis = 0
  let count = 0
  for (;;) {
    const startedAt = performance.now()
    const entries = right(await store.claim(request)())
    millis += performance.now() - startedAt
    if (entries.length === 0)
      return { microsecondsPerEntry: (1000 * millis) / count, entries: count }
    count += entries.length
    await Promise.all(
      entries.map((entry) =>
        store.complete(entry, { result: { type: 'finished', status: 'delivered' } })(),
      ),
    )
  }
}

const measure = async ({ stores, on, rounds, size, say }: PartOptions): Promise<PartResult> => {
  const sink = await startSink()
  const contenders: Record<string, () => Promise<Sample>> = {}
  const homes: OpenedStore[] = []
  const facts: Record<string, number> = {}
  try {
    for (const store of on)
      for (const [index, orders] of ORDERS[size].entries()) {
        const url =
          size === 'small' ? await stores.fresh(store) : await storedOrders(stores, store, orders)
        await fillWithOrders(url, orders, sink, stores.folder)
        const name = `${called[store]}, ${index === 0 ? 'few' : 'many'} finished deliveries`
        facts[`${name}: finished deliveries stored`] = await countIn(
          url,
          `outbox where state = 'delivered'`,
        )
        const home = await openStoreAt(url)
        homes.push(home)
        contenders[name] = async () => {
          await fill(hostOn(home), `http://127.0.0.1:${sink.port}/events`, PENDING[size])
          return claimAll(home)
        }
      }
    for (const once of Object.values(contenders)) await once()
    return { ...(await inRounds(contenders, { rounds, size, say })), facts }
  } finally {
    for (const { close } of homes) await close()
    await sink.stop()
  }
}

export const claims: Part = {
  name: 'claims',
  about: 'what a claim costs with few and with a million finished deliveries stored',
  measure,
}
