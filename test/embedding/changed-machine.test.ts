// Follows docs/machine/README.md, Change it: an order is asked to call, and everything that reads a
// machine knows the new state. The last tests show what the types ask of a new state.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openCheckout } from '@plazo/adapters/host'
import { memoryStore } from '@plazo/adapters/memory'
import { openSqlite } from '@plazo/adapters/sqlite'
import {
  applyDecision,
  awaitOutcome,
  checkoutSetup,
  confirmOrder,
  decodeCallback,
  explainOrder,
  explanationView,
  type FullHost,
  type Order,
  type OrderModel,
  orderViewIn,
  submitIdentification,
} from '@plazo/core/internal'
import { aMerchant, unwrap } from '@plazo/core/internal/testing'
import { openHarness, PERSON } from '@plazo/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { orderBody } from '../harness/shop.ts'

const [, page = ''] = readFileSync(
  fileURLToPath(new URL('../../docs/machine/README.md', import.meta.url)),
  'utf8',
).split('## Change it')
// Inside the folder of the tests, so that imports find the packages.
const folder = fileURLToPath(new URL('./generated/changed-machine', import.meta.url))
mkdirSync(folder, { recursive: true })
const programs = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, program = ''], index) => {
  const file = `${folder}/program-${index}.ts`
  writeFileSync(file, program)
  return file
})
const { model } = (await import(programs[0] ?? '')) as { readonly model: OrderModel }
const { pictureOf } = await import(programs[1] ?? '')

const CALL = { action: 'show_on_hold' }

const openCallingShop = async () => {
  const storage = openSqlite(':memory:', { model })
  const harness = await openHarness(storage.store, { model })
  harness.change({ screening: 'review' })
  return { storage, harness, host: harness.host as FullHost }
}
type Opened = Awaited<ReturnType<typeof openCallingShop>>

/** Submits until the shopper is asked to call. Returns the last answer. */
const call = async ({ harness }: Opened) => {
  await harness.submit(PERSON)
  await harness.runDueJobs()
  await harness.submit({ ...PERSON, validation_code: harness.lastCode() })
  await harness.advance(1000)
  return (await harness.submit(PERSON)).body
}

describe('an order that is asked to call', () => {
  let shop: Opened
  let order: Order
  let submitted: unknown
  beforeAll(async () => {
    shop = await openCallingShop()
    submitted = await call(shop)
    order = await shop.harness.order()
  })
  afterAll(() => shop.storage.close())

  it('gives both endpoints the actions of its state', async () => {
    expect(submitted).toEqual(CALL)
    expect((await shop.harness.poll()).body).toEqual({ action: 'wait_for_on_hold' })
  })

  it('is listed by its name on the wire, and in the operator’s inbox', async () => {
    const { orders } = shop.storage.store
    const found = async (filter: object) =>
      (await unwrap(orders.search(filter, null, 10))).orders.map(
        (listed) => orderViewIn(null, model)(listed).state.checkout as string,
      )
    expect(await found({ checkout: 'calling_us' })).toEqual(['calling_us'])
    expect(await found({ state: 'calling_us' })).toEqual(['calling_us'])
    expect(await found({ checkout: 'reviewing' })).toEqual([])
    expect(await unwrap(orders.waiting('review', null, null, 10))).toMatchObject([
      { order: { state: { checkout: 'calling' } } },
    ])
  })

  it('is explained', async () => {
    const explanation = await unwrap(explainOrder(shop.host)(order))
    expect(explanation.awaits[0]).toMatchObject({ who: 'operator', what: 'review.approved' })
    const view = explanationView(order, explanation, model)
    expect(view.where.checkout.state).toBe('calling_us')
    expect(view.sentences.where[0]).toMatch(/^The shopper is asked to call since /)
  })

  it('is drawn', () => {
    expect(pictureOf(model)).toContain('calling')
  })

  it('is unavailable to everybody where the model is missing', async () => {
    const { model: _, ...terms } = shop.host.terms
    const host = { ...shop.host, terms }
    const { orderRef, merchant } = order.placed
    for (const call of [
      submitIdentification(host)(orderRef, PERSON),
      awaitOutcome(host)(orderRef),
      applyDecision(host)(orderRef, { type: 'review.approved' }),
      confirmOrder(host)(merchant, orderRef, { order: { state: 'confirmed' } }),
      explainOrder(host)(order),
    ])
      expect(await call()).toMatchObject({ left: { _tag: 'Unavailable' } })
  })
})

it('a small host runs the model, and its order is offered the product of the host by callback', async () => {
  let code = ''
  const page = () => 'https://pay.example'
  const checkout = openCheckout({
    store: memoryStore(),
    model,
    service: 'Acme',
    links: { wait: page, pay: page, payWithCard: page, verify: page, cancellationRequest: page },
    merchant: aMerchant('giver', { products: ['gift'], sendActionEvents: false }),
    providers: {
      screening: { screen: async () => ({ outcome: 'review', alternative: null }) },
      sms: {
        send: async ({ payload }) => {
          code = payload.code
        },
      },
    },
    guard: { checkUrl: () => null, checkPage: () => null },
    gateway: () => ({
      post: () => {
        throw new Error('This order sends nothing.')
      },
      close: () => {},
    }),
  })
  const { body } = await checkout.place(orderBody({}, 'https://shop.example'))
  const orderRef = String(body)
  const form = { ...PERSON, acme_privacy_policy_accepted: true }
  await checkout.submit(orderRef, form)
  await checkout.drain()
  await checkout.submit(orderRef, { ...form, validation_code: code })
  await checkout.drain()
  expect(await checkout.submit(orderRef, form)).toEqual({ status: 200, body: CALL })
  expect(await checkout.view(orderRef)).toMatchObject({
    body: { product: 'gift', state: { checkout: 'calling_us' } },
  })
  await checkout.close()

  const agreements = [{ product: 'gift', instalment_count: 2 }]
  const offer = { outcome: 'alternative', alternative: { agreements } }
  const callback = { id: `${orderRef}:4:screening`, ...offer }
  expect(decodeCallback('screening')(callback)).toMatchObject({
    right: { update: { alternative: { agreements: [{ product: 'gift', instalmentCount: 2 }] } } },
  })
})

describe('a new state does not compile without', () => {
  const META = {
    caption: 'the shopper is asked to call',
    section: 'Handbook',
    wait: 'wait_for_on_hold',
    identification: 'show_on_hold',
  } as const
  const { createStateConfig } = checkoutSetup

  it('its action', () => {
    // @ts-expect-error There is no action call_me.
    createStateConfig({ meta: { ...META, wait: 'call_me' } })
  })

  it('the answer of the identification endpoint, if that of the wait endpoint is none of it', () => {
    const { identification: _, ...meta } = META
    // @ts-expect-error
    createStateConfig({ meta })
  })
})
