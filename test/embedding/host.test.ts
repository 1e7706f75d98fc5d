// A host without our server: it passes on any request body with any content, runs due effects, and can
// give an order to XState's own tools.
import { memoryStore } from '@plazo/adapters/memory'
import {
  machineInput,
  machineValue,
  orderMachine,
  type Providers,
  placeOrder,
  reply,
  runDueEffects,
} from '@plazo/core/internal'
import { aMerchant, openShop, unwrap } from '@plazo/core/internal/testing'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { createActor } from 'xstate'

const openedShop = () => openShop(memoryStore())

const refused = {
  left: { _tag: 'Refused', sentences: [expect.stringContaining('Invalid data: ')] },
}

it('an order that JSON cannot represent is refused with a sentence', async () => {
  const shop = openedShop()
  const merchant = { id: 'demo', return_url: 'https://shop.test/thanks' }
  const cart = { currency: 'EUR', order_total_with_tax: 9900, items: [{ total_with_tax: 9900 }] }
  const place = placeOrder(shop.host, () => null)
  expect(await place(aMerchant(), { order: { merchant, cart } })()).toMatchObject({ _tag: 'Right' })
  expect(await place(aMerchant(), { order: { merchant, cart, weight: 12n } })()).toMatchObject(
    refused,
  )
})

describe('the simple dispatcher of a host', () => {
  const silent = { post: () => TE.right({ status: 200, retryAfter: null, body: null }) }

  it('runs nothing twice if it is called twice at once', async () => {
    const shop = openedShop()
    const orderRefs = [await shop.place(), await shop.place(), await shop.place()]
    for (const orderRef of orderRefs) await shop.submit(orderRef)
    const calls: string[] = []
    const send: Providers['sms']['send'] = ({ orderRef }) =>
      TE.fromTask(async () => {
        calls.push(orderRef)
        return reply(null)
      })
    const run = runDueEffects(shop.host, {
      providers: { sms: { send } } as unknown as Providers,
      gateway: silent,
    })
    const tried = await Promise.all([unwrap(run), unwrap(run)])
    expect(calls.toSorted()).toEqual(orderRefs)
    expect(new Set(tried.flat().map(({ key }) => key)).size).toBe(tried.flat().length)
  })

  it('runs again what the store could not write', async () => {
    const shop = openedShop()
    await shop.submit(await shop.place())
    let attempts = 0
    const count = <A>(answer: A) =>
      TE.fromIO(() => {
        attempts += 1
        return answer
      })
    const providers = { sms: { send: () => count(reply(null)) } } as unknown as Providers
    const post = () => count({ status: 200, retryAfter: null, body: null })
    const handlers = { providers, gateway: { post } }
    const away = TE.left({ _tag: 'Unavailable', code: 'unknown', message: 'away' } as const)
    const store = { ...shop.store, complete: () => away }
    expect(await runDueEffects({ ...shop.host, store }, handlers)()).toEqual(await away())
    await unwrap(runDueEffects(shop.host, handlers))
    expect([attempts, await shop.claim()]).toEqual([3, []])
  })
})

it('XState’s tools can restore an order as a snapshot and continue it', async () => {
  const shop = openedShop()
  const orderRef = await shop.place()
  await shop.leadToConfirmation(orderRef)
  const order = await shop.read(orderRef)
  const stepInput = { at: shop.now(), random: shop.host.ids.random(), referenceIsTaken: false }
  const context = machineInput(shop.host.terms)(order, stepInput)
  const snapshot = orderMachine.resolveState({ value: machineValue(order.state), context })
  expect(snapshot.can({ type: 'merchant.confirmed' })).toBe(true)
  expect(snapshot.can({ type: 'review.approved' })).toBe(false)
  const actor = createActor(orderMachine, { snapshot, input: context }).start()
  actor.send({ type: 'merchant.confirmed' })
  actor.stop()
  expect(actor.getSnapshot().value).toEqual(machineValue((await shop.putConfirmed(orderRef)).state))
})
