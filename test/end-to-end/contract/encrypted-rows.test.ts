// What the cipher of rows promises beyond the contracts: nothing personal is readable in the database,
// and a damaged or locked order holds nobody up.
import { mapRows, type OrderRow, rowsCipher, storeOver } from '@plazo/adapters/internal/rows'
import { aPerson, lanesOf, openShop, unwrap } from '@plazo/core/internal/testing'
import { expect, it } from 'vitest'
import { MASTER_KEY } from './fragile-rows.ts'

const OTHER_KEY = `other:${Buffer.alloc(32, 8).toString('base64')}`

const open = async (orders: Map<string, OrderRow>, masterKeys = MASTER_KEY) => {
  const { store } = storeOver(mapRows(orders), await rowsCipher(masterKeys))
  return openShop(store)
}

it('encrypted rows show nothing of the shopper, nor of the merchant’s request', async () => {
  const orders = new Map<string, OrderRow>()
  const shop = await open(orders)
  await shop.placeAndSubmit()
  const text = JSON.stringify([...orders.values()])
  for (const secret of [aPerson.nin, aPerson.given_names, 'placed'])
    expect(text).not.toContain(secret)
  expect(text).not.toMatch(/600 ?123 ?456/)
})

it('encrypted rows report a missing master key, and leave the jobs to be claimed with it', async () => {
  const orders = new Map<string, OrderRow>()
  const shop = await open(orders)
  await shop.placeAndSubmit()
  const other = await open(orders, OTHER_KEY)
  expect(await other.claim()).toEqual([])
  await expect(other.claim()).rejects.toThrow('key_missing')
  expect(lanesOf(await shop.claim())).toEqual(['action', 'sms'])
})

it('the jobs of a damaged row become stuck, and the others go on', async () => {
  const orders = new Map<string, OrderRow>()
  const shop = await open(orders)
  const damaged = await shop.placeAndSubmit()
  const orderRef = await shop.placeAndSubmit()
  const row = orders.get(damaged) as OrderRow
  orders.set(damaged, { ...row, content: row.content.replace(/.{4}$/, 'AAAA') })
  const reopened = await open(orders)
  const jobs = await reopened.claim()
  expect(jobs.map((job) => job.orderRef)).toEqual([orderRef, orderRef])
  const message = 'Cannot decrypt: the value was changed, moved, or encrypted under another key.'
  expect(await unwrap(reopened.store.stuckJobs())).toEqual([
    expect.objectContaining({ orderRef: damaged, message }),
    expect.objectContaining({ orderRef: damaged, message }),
  ])
})
