import type { Endpoint } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { readFailing, startEndpointAlert } from './endpoint-alert.ts'

const MINUTE = 60_000

const createFailing = (failures: number, failingSince: number | null = 0): Endpoint => ({
  merchantRef: 'bikes',
  kind: 'ipn',
  lastGoodAt: null,
  failures,
  failingSince,
})

it('a shop is alerted once after 15 minutes with three failures, and once when it is well again', async () => {
  let now = 14 * MINUTE
  let endpoints: readonly Endpoint[] = [createFailing(9)]
  const reported: string[] = []
  let tick = async (): Promise<void> => {}
  const timers = {
    after: (_: number, call: () => unknown) => {
      tick = async () => void (await call())
      return { cancel: () => {} }
    },
  }
  const store = { endpoints: { list: () => async () => E.right(endpoints) } }
  const read = readFailing(store as never, { now: () => now })
  const log = (event: string, { merchant_ref }: { readonly merchant_ref: string }) =>
    reported.push(`${event} ${merchant_ref}`)
  startEndpointAlert(read, timers as never, log as never)

  await tick()
  expect(reported).toEqual([])
  now = 15 * MINUTE
  endpoints = [createFailing(2)]
  await tick()
  expect(reported).toEqual([])
  endpoints = [createFailing(3)]
  await tick()
  await tick()
  expect(reported).toEqual(['endpoint_failing bikes'])
  endpoints = []
  await tick()
  await tick()
  expect(reported).toEqual(['endpoint_failing bikes', 'endpoint_recovered bikes'])
})
