// @plazo/adapters/merchant: receives events and the IPN at the merchant's side, in any host that uses
// Request and Response, so that no shop verifies signatures by hand.
//
// ```ts
// import { merchantReceiver, taken, tooLate } from '@plazo/adapters/merchant'
//
// const receive = merchantReceiver({
//   secrets: ['0123456789abcdef0123456789abcdef'],
//   on: { ipn: () => taken(), cancel: () => tooLate(30) },
// })
// const { status } = await receive(new Request('http://localhost/'))
// console.log(status) // 405, because only a POST is signed
// ```

export { cancelled, refused, retryIn, taken, tooLate } from './handlers.ts'
export { merchantReceiver } from './receiver.ts'
