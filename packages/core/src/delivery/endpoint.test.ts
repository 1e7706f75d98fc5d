import { expect, it } from 'vitest'
import { addressOf, isGoodAttempt } from './endpoint.ts'

it.each([
  ['https://shop.example/ipn', 'https://shop.example/ipn'],
  [
    'https://user:secret@shop.example:8443/a/b/?token=secret#secret',
    'https://shop.example:8443/a/b/',
  ],
  ['https://shop.example/v1/shop2/ipn', 'https://shop.example/v1/shop2/ipn'],
  ['https://shop.example/orders/100023/ipn', 'https://shop.example/orders/…/ipn'],
  ['https://shop.example/hooks/7/s3cr3t-token', 'https://shop.example/hooks/…/…'],
  ['https://shop.example/7up/1234/secret-9', 'https://shop.example/7up/…/…'],
  [`https://shop.example/${'x'.repeat(32)}`, `https://shop.example/${'x'.repeat(32)}`],
  [`https://shop.example/${'x'.repeat(33)}`, 'https://shop.example/…'],
  ['not a URL', '…'],
])('the address of %s has nothing that may be secret: %s', (url, address) => {
  expect(addressOf(url)).toBe(address)
})

it.each([
  [null, 3_000, true],
  [null, 3_001, false],
  ['status', 1, false],
  ['secrets_unavailable', 1, null],
  ['merchant_unknown', 1, null],
  ['no_socket', 1, null],
])(
  'an attempt with error %j after %d ms makes the shop good: %j',
  (error, durationMillis, isGood) => {
    expect(isGoodAttempt({ error, durationMillis, status: null, response: null })).toBe(isGood)
  },
)
