// Creates pending events in a store, also as a separate process: `node fill.ts <database url>
// <sink> <events>`
import { systemClock, systemIds } from '@plazo/adapters/system'
import { DEFAULT_RULES, type Host, placeOrder, submitIdentification, wireNames } from '@plazo/core'
import type { Merchant } from '@plazo/core/ports'
import { linksFrom } from '@plazo/server/internal'
import * as E from 'fp-ts/lib/Either.js'
import { DEMO, orderBody, PERSON } from '../../harness/shop.ts'
import { type OpenedStore, openStoreAt } from './open-store.ts'

export const MERCHANTS = 32
const TOGETHER = 200

export const hostOn = ({ store }: OpenedStore): Host => ({
  store,
  clock: systemClock,
  ids: systemIds,
  terms: {
    rules: DEFAULT_RULES,
    links: linksFrom('http://localhost:3000'),
    names: wireNames('Service', 'sq_state'),
  },
})

const merchantOf = (ref: string): Merchant => ({
  ref,
  name: ref,
  username: ref,
  passwordHash: '',
  signatureSecret: DEMO.secret,
  country: null,
  currency: 'EUR',
  products: ['i1'],
  optionalFields: [],
  sendActionEvents: true,
})

/** Each order's first submission creates one pending identification_action event. */
export const fill = async (host: Host, sink: string, events: number): Promise<void> => {
  const place = placeOrder(host, () => null)
  const submit = submitIdentification(host)
  const one = async (index: number): Promise<void> => {
    const ref = `m${index % MERCHANTS}`
    const placed = await place(
      merchantOf(ref),
      orderBody({ merchant: { id: ref, events_webhook: { url: sink } } }),
    )()
    if (E.isLeft(placed)) throw new Error(JSON.stringify(placed.left))
    await submit(placed.right, PERSON)()
  }
  for (let index = 0; index < events; index += TOGETHER)
    await Promise.all(
      Array.from({ length: Math.min(TOGETHER, events - index) }, (_, offset) =>
        one(index + offset),
      ),
    )
}

if (process.argv[1] === import.meta.filename) {
  const [url = '', sink = '', events = ''] = process.argv.slice(2)
  const home = await openStoreAt(url)
  await fill(hostOn(home), sink, Number(events))
  await home.close()
}
