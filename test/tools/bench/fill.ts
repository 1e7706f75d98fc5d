// Creates pending events in a store: each order's first submission has one identification_action.
import { systemClock, systemIds } from '@plazo/adapters/system'
import { DEFAULT_RULES, type Host, placeOrder, submitIdentification, wireNames } from '@plazo/core'
import { aMerchant } from '@plazo/core/internal/testing'
import { linksFrom } from '@plazo/server/internal'
import * as E from 'fp-ts/lib/Either.js'
import { orderBody, PERSON } from '../../harness/shop.ts'
import type { OpenedStore } from './open-store.ts'

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

export const fill = async (host: Host, sink: string, events: number): Promise<void> => {
  const place = placeOrder(host, () => null)
  const submit = submitIdentification(host)
  const one = async (index: number): Promise<void> => {
    const ref = `m${index % MERCHANTS}`
    const placed = await place(
      aMerchant(ref, { currency: 'EUR', products: ['i1'], sendActionEvents: true }),
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
