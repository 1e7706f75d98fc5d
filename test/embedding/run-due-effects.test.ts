// The simple dispatcher of an embedding host, with ports that break their contract.
import { memoryStore } from '@plazo/adapters/memory'
import { type DueEffectHandlers, type Providers, reply, runDueEffects } from '@plazo/core'
import { openShop, SECOND, type StoreShop, unwrap } from '@plazo/core/testing/contracts'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'

const openedShop = (): StoreShop => {
  const shop: StoreShop = openShop(memoryStore({ realNow: () => shop.now() }))
  return shop
}

const silent = { post: () => TE.right({ status: 200, retryAfter: null, body: null }) }

it('continues if a provider throws, and calls it again when its schedule says', async () => {
  const shop = openedShop()
  const [failing, working] = [await shop.place(), await shop.place()]
  await shop.submit(failing)
  await shop.submit(working)
  const calls: string[] = []
  const send: Providers['sms']['send'] = ({ orderRef }) => {
    calls.push(orderRef)
    if (orderRef === failing) throw new Error('no such number')
    return TE.right(reply(null))
  }
  const providers = { sms: { send } } as unknown as Providers
  const runDue = () => unwrap(runDueEffects(shop.host, { providers, gateway: silent }))
  await runDue()
  expect(calls).toEqual([failing, working])
  await runDue()
  expect(calls).toEqual([failing, working])
  shop.advance(10 * SECOND)
  await runDue()
  expect(calls).toEqual([failing, working, failing])
})

it('reports a port that throws or is unavailable, and nothing that worked', async () => {
  const shop = openedShop()
  const [silentRef, broken, well] = [await shop.place(), await shop.place(), await shop.place()]
  for (const orderRef of [silentRef, broken, well]) await shop.submit(orderRef)
  const fault = new Error('boom')
  const send: Providers['sms']['send'] = ({ orderRef }) => {
    if (orderRef === broken) throw fault
    return orderRef === silentRef
      ? TE.left({ _tag: 'ProviderError', reason: 'other', message: 'no line' })
      : TE.right(reply(null))
  }
  const providers = { sms: { send } } as unknown as Providers
  const reported: unknown[] = []
  const onTrouble: DueEffectHandlers['onFailure'] = ({ message }, { orderRef }, thrown) =>
    void reported.push([orderRef, message, thrown])
  const tried = await unwrap(runDueEffects(shop.host, { providers, gateway: silent, onFailure: onTrouble }))
  expect(tried.filter(({ payload }) => payload.kind === 'sms')).toHaveLength(3)
  expect(reported).toEqual([
    [silentRef, 'no line', undefined],
    [broken, 'The provider threw an error.', fault],
  ])
})

it('claims only what it is about to run, so that others find the rest', async () => {
  const shop = openedShop()
  for (let orders = 0; orders < 10; orders++) await shop.submit(await shop.place())
  let callsLeft = 0
  const post = () =>
    TE.fromTask(async () => {
      callsLeft ||= (await shop.claim()).length
      return { status: 200, retryAfter: null, body: null }
    })
  const providers = { sms: { send: () => TE.right(reply(null)) } } as unknown as Providers
  await unwrap(runDueEffects(shop.host, { providers, gateway: { post } }))
  expect(callsLeft).toBeGreaterThan(10)
})
