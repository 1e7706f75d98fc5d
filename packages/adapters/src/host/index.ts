// @plazo/adapters/host: what a host of the core needs besides a store. `openCheckout` is a whole small
// host without its routes. The dispatcher runs the effects of any host. The table of errors says what
// a client is told. Nothing here needs Node.
//
// ```ts
// import { openCheckout } from '@plazo/adapters/host'
// import { addressGuard, merchantGateway } from '@plazo/adapters/http'
// import { memoryStore } from '@plazo/adapters/memory'
//
// const page = (...path: readonly string[]) => `https://pay.example/${path.join('/')}`
// const shop = { ref: 'shop', name: 'A shop', signatureSecret: '0123456789abcdef0123456789abcdef' }
// const offer = { country: 'ES', currency: 'EUR', products: ['i1'], optionalFields: [], sendActionEvents: false }
// const checkout = openCheckout({
//   store: memoryStore(),
//   service: 'Acme',
//   links: { wait: page, pay: page, payWithCard: page, verify: page, cancellationRequest: page },
//   merchant: { ...shop, ...offer },
//   providers: {
//     screening: { screen: async () => ({ outcome: 'approved', alternative: null }) },
//     sms: { send: async ({ payload }) => console.log(payload.code) },
//   },
//   guard: addressGuard({ allow: [] }),
//   gateway: merchantGateway,
// })
// const { status, body } = await checkout.wait('00000000-0000-4000-8000-000000000000')
// console.log(status, body) // 404 { errors: [ 'Order not found.' ] }
// await checkout.close()
// ```

export { startDispatcher } from './dispatcher.ts'
export {
  type Answer,
  type Checkout,
  type CheckoutParts,
  checkoutOver,
  openCheckout,
} from './open-checkout.ts'
export { sentencesOf, statusOf } from './use-case-errors.ts'
