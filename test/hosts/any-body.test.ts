// A host hands over what a request held, whatever that was: what is wrong with it is an answer, and no outage.
import { memoryStore } from '@plazo/adapters/memory'
import {
  confirmOrder,
  decodeCallback,
  PROVIDER_PORTS,
  placeOrder,
  submitIdentification,
  updateOrder,
} from '@plazo/core'
import { aMerchant, openShop, type Shop } from '@plazo/core/testing/contracts'
import { expect, it } from 'vitest'

const bodies = [null, undefined, [], [null], '', 'text', 7, Number.NaN, true, {}, { order: null }].map((body) => ({
  body,
}))

const refused = { left: { _tag: 'Refused', sentences: [expect.stringContaining('Invalid data: ')] } }

const openedShop = (): Shop => {
  const shop: Shop = openShop(memoryStore({ realNow: () => shop.now() }))
  return shop
}

it.each(bodies)('of an identification, $body, the fields are named', async ({ body }) => {
  const shop = openedShop()
  expect(await submitIdentification(shop.host)(await shop.place(), body)()).toMatchObject({
    right: { action: 'show_identification_form', errors: { given_names: 'invalid', city: 'invalid' } },
  })
})

it.each(bodies)('an order, a confirmation and an update, $body, are refused in a sentence', async ({ body }) => {
  const shop = openedShop()
  const orderRef = await shop.place(aMerchant(), 'R-1')
  expect(await placeOrder(shop.host, () => null)(aMerchant(), body)()).toMatchObject(refused)
  expect(await confirmOrder(shop.host)({ account: 'demo' }, orderRef, body)()).toMatchObject(refused)
  await shop.lead(orderRef)
  const ipn = await shop.claimOne(orderRef, 'ipn')
  await shop.settle(ipn, { type: 'ipn.accepted', answers: ipn.key })
  expect(await updateOrder(shop.host)('demo', 'R-1', body)()).toMatchObject(refused)
})

it('an order that no JSON can hold is refused in a sentence', async () => {
  const shop = openedShop()
  const merchant = { id: 'demo', return_url: 'https://shop.test/thanks' }
  const cart = { currency: 'EUR', order_total_with_tax: 9900, items: [{ total_with_tax: 9900 }] }
  const place = placeOrder(shop.host, () => null)
  expect(await place(aMerchant(), { order: { merchant, cart } })()).toMatchObject({ _tag: 'Right' })
  expect(await place(aMerchant(), { order: { merchant, cart, weight: 12n } })()).toMatchObject(refused)
})

it.each(bodies)('a provider’s callback, $body, is refused in a sentence', ({ body }) => {
  for (const port of PROVIDER_PORTS)
    expect(decodeCallback(port)(body)).toMatchObject({ left: [expect.stringContaining('Invalid data: ')] })
})
