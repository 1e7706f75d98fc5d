// A host passes on any request body, with any content. An invalid one must get an answer and not cause a failure.
import { memoryStore } from '@plazo/adapters/memory'
import {
  confirmOrder,
  decodeCallback,
  PROVIDER_PORTS,
  placeOrder,
  submitIdentification,
  updateOrder,
} from '@plazo/core'
import { aMerchant, openShop, type StoreShop } from '@plazo/core/testing/contracts'
import { expect, it } from 'vitest'

const bodies = [null, undefined, [], [null], '', 'text', 7, Number.NaN, true, {}, { order: null }].map((body) => ({
  body,
}))

const refused = { left: { _tag: 'Refused', sentences: [expect.stringContaining('Invalid data: ')] } }

const openedShop = (): StoreShop => {
  const shop: StoreShop = openShop(memoryStore({ realNow: () => shop.now() }))
  return shop
}

it.each(bodies)('an identification with $body names the wrong fields', async ({ body }) => {
  const shop = openedShop()
  expect(await submitIdentification(shop.host)(await shop.place(), body)()).toMatchObject({
    right: { action: 'show_identification_form', errors: { given_names: 'invalid', city: 'invalid' } },
  })
})

it.each(bodies)('an order, a confirmation and an update with $body are refused with a sentence', async ({ body }) => {
  const shop = openedShop()
  const orderRef = await shop.place(aMerchant(), 'R-1')
  expect(await placeOrder(shop.host, () => null)(aMerchant(), body)()).toMatchObject(refused)
  expect(await confirmOrder(shop.host)({ account: 'demo' }, orderRef, body)()).toMatchObject(refused)
  await shop.leadToConfirmation(orderRef)
  const ipn = await shop.claimOne(orderRef, 'ipn')
  await shop.completeClaim(ipn, { type: 'ipn.accepted', inReplyTo: ipn.key })
  expect(await updateOrder(shop.host)('demo', 'R-1', body)()).toMatchObject(refused)
})

it('an order that JSON cannot represent is refused with a sentence', async () => {
  const shop = openedShop()
  const merchant = { id: 'demo', return_url: 'https://shop.test/thanks' }
  const cart = { currency: 'EUR', order_total_with_tax: 9900, items: [{ total_with_tax: 9900 }] }
  const place = placeOrder(shop.host, () => null)
  expect(await place(aMerchant(), { order: { merchant, cart } })()).toMatchObject({ _tag: 'Right' })
  expect(await place(aMerchant(), { order: { merchant, cart, weight: 12n } })()).toMatchObject(refused)
})

it.each(bodies)('a provider’s callback with $body is refused with a sentence', ({ body }) => {
  for (const port of PROVIDER_PORTS)
    expect(decodeCallback(port)(body)).toMatchObject({ left: [expect.stringContaining('Invalid data: ')] })
})
