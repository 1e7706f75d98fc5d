// The upgrade that operating-postgres.md promises: a server of the former version has written the
// database, and goes on next to the one that migrates it. `ORDERS=100` makes it larger.
import { newKeyEntry } from '@plazo/adapters/encryption'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { addressesAt, agreement, countEvents, stagesOf } from '../../end-to-end/stages.ts'
import { commandLine } from '../../harness/command-line.ts'
import { pathOfTest } from '../../harness/path-of-test.ts'
import { emptyDatabase } from '../../harness/postgres-storage.ts'
import { type Receiver, startReceiver } from '../../harness/receiver.ts'
import {
  errorsIn,
  type RunningServer,
  runUntilExit,
  startServer,
} from '../../harness/running-server.ts'
import { CARD, type Json, nextStep, PERSON, type Shop, shopAt } from '../../harness/shop.ts'
import { waitUntil } from '../../harness/time.ts'
import { unpackFormerVersion } from './former-version.ts'

const ORDERS = Number(process.env.ORDERS ?? 4)
const STEPS_MAX = 30

let former: ReturnType<typeof unpackFormerVersion>
let receiver: Receiver
beforeAll(async () => {
  former = unpackFormerVersion()
  receiver = await startReceiver()
})
afterAll(async () => {
  former.remove()
  await receiver.close()
})

const startNextTo = async (env: Readonly<Record<string, string>>, main?: string) => {
  const server = await startServer({ env, ...(main !== undefined && { main }) })
  onTestFinished(() => server.kill().catch(() => {}))
  return server
}

/** Does everything that is left to do, through the given server. */
const finish = async (shop: Shop, ref: string): Promise<void> => {
  const doNextStep = nextStep(shop)
  for (let steps = 0; (await doNextStep(ref, await shop.wait(ref), PERSON)) && steps < STEPS_MAX; )
    steps += 1
  await waitUntil(async () => (await shop.wait(ref)).action === 'finish')
}

type ListedDelivery = Json & { readonly event: string; readonly state: string }

const deliveriesOf = async (shop: Shop, ref: string) =>
  (await (
    await shop.asMerchant('GET', `/merchants/demo/deliveries?order_ref=${ref}`)
  ).json()) as readonly ListedDelivery[]

const viewOf = async (shop: Shop, ref: string) => ({
  order: await shop.order(ref),
  history: await shop.history(ref),
  deliveries: await deliveriesOf(shop, ref),
  messages: await shop.messages(ref),
})

/** Saves a card, which the sandbox keeps next to orders. */
const fillSandbox = async (shop: Shop): Promise<void> => {
  const { action } = await stagesOf(shop).revealed(agreement('fp1'))
  await shop.pay(action.iframe_url, { ...CARD, save: 'on' })
  await shop.advance(0)
}

const savedCards = async (shop: Shop): Promise<unknown> =>
  (await stagesOf(shop).revealed(agreement('fp1'))).action.reusable_cards

const nowOf = async (shop: Shop): Promise<number> => {
  const clock = await shop.send('GET', '/sandbox/clock')
  return Date.parse(((await clock.json()) as { readonly now: string }).now)
}

/**
 * A former server reads its sandbox's clock from the database. A present one is the only process of
 * its sandbox, so from its start on it alone moves the clock of both.
 */
const withClockOf = (shop: Shop, former: Shop): Shop => ({
  ...former,
  advance: async (seconds) => {
    const moved = await shop.advance(seconds)
    await waitUntil(async () => (await nowOf(former)) >= Date.parse(moved.now))
    return moved
  },
})

/** What the former server has written: orders of every kind, and jobs that wait. */
const fill = async (shop: Shop, env: Readonly<Record<string, string>>) => {
  const stages = stagesOf(shop)
  const failing = addressesAt(receiver, 'failing')
  receiver.answer(failing.ipn, { status: 500 })
  const { merchant } = addressesAt(receiver, 'shop')
  const refs: Record<string, string> = {
    identified: await stages.identified({}, { merchant }),
    proven: await stages.proven({}, { merchant }),
    screened: await stages.screened({}, { merchant }),
    paid: await stages.paid({}, { merchant }),
    untold: await stages.settled({}, { merchant: failing.merchant }),
    erased: await stages.settled({}, { merchant }),
  }
  await finish(shop, refs.erased ?? '')
  await waitUntil(async () =>
    (await deliveriesOf(shop, refs.erased ?? '')).every(({ state }) => state === 'delivered'),
  )
  await fillSandbox(shop)
  expect(await runUntilExit(env, former.cli, ['orders', 'erase', refs.erased ?? ''])).toMatchObject(
    { code: 0 },
  )
  expect(await deliveriesOf(shop, refs.untold ?? '')).toMatchObject([
    { event: 'ipn', state: 'pending' },
  ])
  return refs
}

const cartOf = (total: number): Json => ({
  order_total_with_tax: total,
  items: [{ total_with_tax: total }],
})
const EMPTY: Json = { order_total_with_tax: 0, items: [] }

const update = async (shop: Shop, reference: string, shipped_cart: Json): Promise<void> => {
  const body = { order: { shipped_cart, unshipped_cart: EMPTY } }
  expect((await shop.asMerchant('PUT', `/merchants/demo/orders/${reference}`, body)).status).toBe(
    200,
  )
}

/**
 * Reduces a paid order at one server and cancels it at the other. Returns what went back, in minor
 * units.
 */
const reduceAndCancel = async (shop: Shop, oldShop: Shop, ref: string): Promise<unknown> => {
  await shop.asMerchant('PUT', `/orders/${ref}`, {
    order: { merchant_reference: { order_ref_1: 'REDUCED' } },
  })
  await update(shop, 'REDUCED', cartOf(100))
  await update(oldShop, 'REDUCED', EMPTY)
  await waitUntil(async () => (await countEvents(shop, ref, 'payment.refunded')) === 2)
  return ((await shop.order(ref)) as Json).refunded
}

const databases = {
  SQLite: async () => ({ DATABASE_URL: `sqlite:${pathOfTest('plazo.db')}` }),
  PostgreSQL: async () => {
    const { url, drop } = await emptyDatabase()
    onTestFinished(drop)
    return { DATABASE_URL: url, SECRET_KEY: newKeyEntry() }
  },
}

it.each(Object.entries(databases))(
  'a %s database of the former version is used on, next to a server of that version',
  async (_, open) => {
    const env = await open()
    const old: RunningServer = await startNextTo(env, former.main)
    const formerShop = shopAt(old.url)
    const refs = await fill(formerShop, env)
    const viewAll = async (shop: Shop) =>
      Promise.all(
        Object.entries(refs).map(async ([name, ref]) => ({ name, ...(await viewOf(shop, ref)) })),
      )
    const before = await viewAll(formerShop)

    const next = await startNextTo(env)
    const shop = shopAt(next.url)
    const oldShop = withClockOf(shop, formerShop)
    for (const [n, view] of (await viewAll(shop)).entries()) {
      const { history = [], ...former } = before[n] ?? {}
      expect(view.history.slice(0, history.length)).toMatchObject(history)
      // Nothing is due any more for these.
      if (/paid|erased/.test(view.name)) expect(view).toMatchObject(former)
    }

    expect(await savedCards(shop)).toHaveLength(1)
    await commandLine(env).run('orders', 'erase', refs.erased ?? '', '--yes')

    receiver.answer('/failing/ipn', { status: 200 })
    await oldShop.advance(3_600)
    await waitUntil(async () => (await oldShop.wait(refs.untold ?? '')).action === 'finish')

    // Each server takes orders of both on to their end, while both run.
    const placed: string[] = []
    for (let n = 0; n < ORDERS; n++) placed.push(await (n % 2 === 0 ? oldShop : shop).place())
    const unfinished = [refs.identified, refs.proven, refs.screened, ...placed].map(String)
    for (const [n, ref] of unfinished.entries()) await finish(n % 3 === 0 ? oldShop : shop, ref)
    for (const ref of [...unfinished, refs.untold ?? ''])
      expect((await viewOf(oldShop, ref)).history).toEqual((await viewOf(shop, ref)).history)
    expect(await reduceAndCancel(shop, oldShop, refs.paid ?? '')).toMatchObject({ value: 12_100 })
    expect(errorsIn(old.output() + next.output())).toEqual([])

    const late = await runUntilExit(env, former.main)
    expect(late).toMatchObject({
      code: 1,
      printed: expect.stringContaining('this plazo supports versions up to 1'),
    })
    expect(await old.stop()).toBe(0)
    const { stdout } = await commandLine(env).run('doctor')
    expect(stdout).toMatch(/^ok +migrations /m)
    expect(await next.stop()).toBe(0)
  },
)
