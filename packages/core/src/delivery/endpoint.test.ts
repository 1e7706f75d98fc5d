import { expect, it } from 'vitest'
import { addressOf } from './endpoint.ts'

it.each([
  ['https://shop.example/ipn', 'https://shop.example/ipn'],
  [
    'https://user:secret@shop.example:8443/a/b/?token=secret#secret',
    'https://shop.example:8443/a/b/',
  ],
  ['https://shop.example/v1/shop2/ipn', 'https://shop.example/v1/shop2/ipn'],
  ['https://shop.example/orders/100023/ipn', 'https://shop.example/orders/…/ipn'],
  ['https://shop.example/hooks/7/s3cr3t-token', 'https://shop.example/hooks/…/…'],
  [`https://shop.example/${'x'.repeat(33)}`, 'https://shop.example/…'],
  ['not a URL', '…'],
])('the address of %s has nothing that may be secret: %s', (url, address) => {
  expect(addressOf(url)).toBe(address)
})
