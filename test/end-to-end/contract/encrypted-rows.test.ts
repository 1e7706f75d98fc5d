// What the cipher of rows promises beyond the contracts: nothing personal is readable in the database,
// an erased row stays unreadable, and a damaged or locked job holds nobody up.
import {
  EMPTY_VALUE,
  type EncryptedOrder,
  encryptedStoreOver,
  type RowsValue,
  rowsCipher,
  valueRows,
} from '@plazo/adapters/rows'
import type { FullStore, Store } from '@plazo/core/ports'
import { aPerson, lanesOf, openShop, unwrap } from '@plazo/core/testing/contracts'
import { describe, expect, it } from 'vitest'
import { MASTER_KEY } from './fragile-rows.ts'

const OTHER_KEY = `other:${Buffer.alloc(32, 8).toString('base64')}`

const open = async (host: { value: RowsValue<EncryptedOrder> }, masterKeys = MASTER_KEY) => {
  const cipher = await rowsCipher(masterKeys)
  const { store, erasure } = encryptedStoreOver(valueRows(host), () => 0, cipher)
  return { store, erasure, shop: openShop(store as Store as FullStore) }
}

describe('encrypted rows', () => {
  it('show nothing of the shopper, nor of the merchant’s request', async () => {
    const host = { value: EMPTY_VALUE as RowsValue<EncryptedOrder> }
    const { shop } = await open(host)
    await shop.placeAndSubmit()
    const text = JSON.stringify(host.value)
    for (const secret of [aPerson.nin, aPerson.given_names, '"placed"'])
      expect(text).not.toContain(secret)
    expect(text).not.toMatch(/600 ?123 ?456/)
  })

  it('report a missing master key, and leave the jobs to be claimed with it', async () => {
    const host = { value: EMPTY_VALUE as RowsValue<EncryptedOrder> }
    const { shop } = await open(host)
    await shop.placeAndSubmit()
    const { store } = await open(host, OTHER_KEY)
    const request = () => ({
      at: shop.now(),
      lease: 1,
      capacity: { deliveries: 9, notGood: 9, internal: 9 },
      perAccount: null,
    })
    expect(await store.claim(request)()).toMatchObject({ left: { code: 'key_missing' } })
    expect(lanesOf(await shop.claim())).toEqual(['action', 'sms'])
  })

  it('make a job stuck that can never be decrypted, and the others go on', async () => {
    const host = { value: EMPTY_VALUE as RowsValue<EncryptedOrder> }
    const { shop } = await open(host)
    await shop.placeAndSubmit()
    const sms = host.value.jobs.find(({ effect }) => effect.lane === 'sms')
    if (sms === undefined) throw new Error('No code is sent.')
    const payload = { ...sms.effect.payload, ciphertext: 'AAAA' }
    const damaged = { ...sms, effect: { ...sms.effect, payload } }
    const jobs = host.value.jobs.map((job) => (job === sms ? damaged : job))
    host.value = { ...host.value, jobs }
    expect(lanesOf(await shop.claim())).toEqual(['action'])
    expect(await unwrap(shop.store.stuckJobs())).toEqual([
      expect.objectContaining({
        key: sms.effect.key,
        message: 'Cannot decrypt: the value was changed, moved, or encrypted under another key.',
      }),
    ])
  })
})
