// Without `plazo stuck`, an operator could neither see nor retry a job whose result could not be applied. Contract §6, Stuck.

import { expect, it } from 'vitest'
import { openDatabase } from '../../packages/adapters/src/sqlite/schema/database.ts'
import { servedShopOnFile } from '../e2e/served-shop.ts'

const { path, shop, plazo } = await servedShopOnFile()

it('lists stuck jobs, and the server runs one that is retried', async () => {
  const orderRef = await shop.place()
  const key = `${orderRef}:1:timer.checkoutLifetime`
  const db = openDatabase(path)
  db.prepare("update outbox set state = 'stuck', message = 'no step' where lane = 'timer.checkoutLifetime'").run()
  db.close()

  expect(await plazo.json('stuck', 'list')).toEqual([{ key, order_ref: orderRef, message: 'no step' }])
  expect((await plazo.run('stuck', 'list')).stdout).toContain(`${key}\tno step`)
  await shop.advance(25 * 3600)
  expect((await shop.order(orderRef)).state.checkout).toBe('identifying')

  expect((await plazo.run('stuck', 'retry', key)).stdout).toContain('is due now')
  await shop.advance(0)
  expect((await shop.order(orderRef)).state.checkout).toBe('expired')
  // The list itself is empty, for programs that read it.
  expect(await plazo.run('stuck', 'list')).toEqual({ code: 0, stdout: '', stderr: 'No job is stuck.\n' })
})

it('refuses a key that belongs to no stuck job', async () => {
  const { code, stderr } = await plazo.run('stuck', 'retry', 'no:2:key')
  expect(code).toBe(1)
  expect(stderr).toContain('plazo stuck list')
})
