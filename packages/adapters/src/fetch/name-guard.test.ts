import { expect, it } from 'vitest'
import { nameGuard } from './name-guard.ts'

it.each([
  'https://shop.example/ipn?a=1',
  'https://shop.example:8443/',
  'https://xn--bcher-kva.example/',
])('allows %s', (url) => {
  expect([nameGuard.checkUrl(url), nameGuard.checkPage(url)]).toEqual([null, null])
})

it.each([
  'http://shop.example/',
  'shop.example',
  '',
  'https://10.0.0.1/',
  'https://0x7f.1/',
  'https://2130706433/',
  'https://8.8.8.8/',
  'https://[::1]/',
  'https://[2606:4700::1111]/',
  'https://localhost/',
  'https://a.localhost./',
  'https://intranet/',
  'https://db.internal/',
  'https://printer.local/',
])('refuses %j with a sentence', (url) => {
  for (const check of [nameGuard.checkUrl, nameGuard.checkPage])
    expect(check(url)).toMatch(/must begin with https/)
})

it('calls no URL with a password, but may send a shopper there', () => {
  const url = 'https://ana:secret@shop.example/'
  expect(nameGuard.checkUrl(url)).toMatch(/username or password/)
  expect(nameGuard.checkPage(url)).toBe(null)
})
