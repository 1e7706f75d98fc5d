// The simple dispatcher of an embedding host, with ports that break their contract.
import { memoryStore } from '@plazo/adapters/memory'
import { answer, type DuePerformers, type Providers, runDueEffects } from '@plazo/core'
import { given, openShop, SECOND, type Shop } from '@plazo/core/testing/contracts'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'

const openedShop = (): Shop => {
  const shop: Shop = openShop(memoryStore({ realNow: () => shop.now() }))
  return shop
}

const silent = { post: () => TE.right({ status: 200, retryAfter: null, body: null }) }

it('continues if a provider throws, and calls it again when its schedule says', async () => {
  const shop = openedShop()
  const [unlucky, lucky] = [await shop.place(), await shop.place()]
  await shop.submit(unlucky)
  await shop.submit(lucky)
  const asked: string[] = []
  const send: Providers['sms']['send'] = ({ orderRef }) => {
    asked.push(orderRef)
    if (orderRef === unlucky) throw new Error('no such number')
    return TE.right(answer(null))
  }
  const deciders = { sms: { send } } as unknown as Providers
  const due = () => given(runDueEffects(shop.host, { deciders, gateway: silent }))
  await due()
  expect(asked).toEqual([unlucky, lucky])
  await due()
  expect(asked).toEqual([unlucky, lucky])
  shop.advance(10 * SECOND)
  await due()
  expect(asked).toEqual([unlucky, lucky, unlucky])
})

it('reports a port that throws or is unavailable, and nothing that worked', async () => {
  const shop = openedShop()
  const [mute, broken, well] = [await shop.place(), await shop.place(), await shop.place()]
  for (const orderRef of [mute, broken, well]) await shop.submit(orderRef)
  const fault = new Error('boom')
  const send: Providers['sms']['send'] = ({ orderRef }) => {
    if (orderRef === broken) throw fault
    return orderRef === mute ? TE.left({ _tag: 'ProviderError', message: 'no line' }) : TE.right(answer(null))
  }
  const deciders = { sms: { send } } as unknown as Providers
  const told: unknown[] = []
  const onTrouble: DuePerformers['onTrouble'] = (message, { orderRef }, thrown) =>
    void told.push([orderRef, message, thrown])
  const tried = await given(runDueEffects(shop.host, { deciders, gateway: silent, onTrouble }))
  expect(tried.filter(({ work }) => work.kind === 'sms')).toHaveLength(3)
  expect(told).toEqual([
    [mute, 'no line', undefined],
    [broken, 'The port has thrown.', fault],
  ])
})

it('claims only what it is about to run, so that others find the rest', async () => {
  const shop = openedShop()
  for (let orders = 0; orders < 10; orders++) await shop.submit(await shop.place())
  let left = 0
  const post = () =>
    TE.fromTask(async () => {
      left ||= (await shop.claim()).length
      return { status: 200, retryAfter: null, body: null }
    })
  const deciders = { sms: { send: () => TE.right(answer(null)) } } as unknown as Providers
  await given(runDueEffects(shop.host, { deciders, gateway: { post } }))
  expect(left).toBeGreaterThan(10)
})
