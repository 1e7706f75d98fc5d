// An account must neither see nor change anything of another account, on every route of the route
// table. Contract §2.
import { describe, expect, it } from 'vitest'
import { servedShopOnFile } from '../end-to-end/served-shop.ts'
import { addressesAt, surnames } from '../end-to-end/stages.ts'
import { merchantWords } from '../harness/command-line.ts'
import { basic, DEMO, type Json } from '../harness/shop.ts'
import { textOf } from './fuzz/fuzz-route.ts'
import type { RouteCase } from './fuzz/routes.ts'
import { openScene } from './fuzz/scene.ts'
import { validRequest } from './valid-requests.ts'

/** The answer to a stranger. `own` is a 200 with only the stranger's own data. */
type ExpectedAnswer = 403 | 404 | 'own'

/**
 * `theirs`: the request names another account's merchant or order. `own`: it names the stranger's
 * merchant and another's order.
 */
const CASES: Readonly<
  Record<string, { readonly theirs: ExpectedAnswer; readonly ours?: ExpectedAnswer }>
> = {
  'POST /orders': { theirs: 403 },
  'GET /orders/:uuid': { theirs: 404 },
  'GET /orders/:uuid/history': { theirs: 404 },
  'GET /orders/:uuid/explanation': { theirs: 404 },
  'GET /orders/:uuid/payment_methods': { theirs: 404 },
  'GET /orders/:uuid/form_v2': { theirs: 404 },
  'GET /machine/orders/:uuid': { theirs: 404 },
  'GET /machine/orders/:uuid/history': { theirs: 404 },
  'GET /machine/orders/:uuid/history/events': { theirs: 404 },
  'GET /sandbox/orders/:uuid/timeline': { theirs: 404 },
  'GET /sandbox/orders/:uuid/timeline/events': { theirs: 404 },
  'PUT /orders/:uuid': { theirs: 403, ours: 404 },
  'PUT /merchants/:ref/orders/:order_ref_1': { theirs: 403, ours: 404 },
  'GET /merchants/credentials': { theirs: 'own' },
  'GET /merchants/:ref/credentials': { theirs: 403, ours: 'own' },
  'GET /merchants/:ref/payment_methods': { theirs: 403, ours: 'own' },
  'GET /merchants/:ref/deliveries': { theirs: 403, ours: 'own' },
  'GET /merchants/:ref/deliveries/:id': { theirs: 403, ours: 404 },
  'GET /merchants/:ref/orders': { theirs: 403, ours: 'own' },
  'POST /merchants/:ref/deliveries/:id/resend': { theirs: 403, ours: 404 },
  'POST /merchants/:ref/deliveries/recover': { theirs: 403 },
  'POST /merchants/:ref/deliveries/example': { theirs: 403 },
  'GET /sandbox/webhooks': { theirs: 'own' },
}

const STRANGER = basic('stranger', 'of-another')

const { server, receiver, shop: demo, stages, plazo } = await servedShopOnFile()

const { routes: ROUTES, stop } = await openScene()
await stop()
const NAMES = Object.keys(ROUTES)

// In the sandbox, a merchant follows their own orders where the operator does.
const GUARDED = NAMES.filter(
  (name) => ROUTES[name]?.caller === 'merchant' || name.includes(' /machine/orders/'),
)

const requestTo = (name: string, named: Readonly<Record<string, string>>) =>
  validRequest(name, ROUTES[name] as RouteCase, { orderRef: params.uuid ?? '', params: named })

const readAll = async (): Promise<unknown> => [
  await demo.order(params.uuid ?? ''),
  await demo.history(params.uuid ?? ''),
  await (await demo.asMerchant('GET', '/merchants/demo/deliveries')).json(),
  receiver.received.length,
]

await plazo.json(...merchantWords('strange', { username: 'stranger', password: 'of-another' }))
const { merchant } = addressesAt(receiver, 'theirs')
await stages.settled(surnames('denial event'), { merchant })
const uuid = await stages.settled({}, { merchant, merchant_reference: { order_ref_1: 'THEIRS-1' } })
await demo.advance(60)
const deliveries = (await (
  await demo.asMerchant('GET', '/merchants/demo/deliveries')
).json()) as readonly Json[]
const params: Readonly<Record<string, string>> = {
  uuid,
  ref: 'demo',
  order_ref_1: 'THEIRS-1',
  id: String(deliveries[0]?.id),
}

const asStranger = (
  name: string,
  named: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
) => {
  const { method, path, headers, body: text } = requestTo(name, named)
  const body = text?.replaceAll('"id":"demo"', `"id":"${named.ref}"`) ?? null
  return fetch(`${server.url}${path}`, {
    method,
    headers: { ...headers, authorization: STRANGER, ...more },
    body,
  })
}

const isOnly = async (answer: Response, answered: ExpectedAnswer): Promise<void> => {
  const text = await textOf(answer)
  expect(answer.status, text).toBe(
    answered === 'own' ? (answer.status === 201 ? 201 : 200) : answered,
  )
  for (const theirs of [DEMO.secret, 'THEIRS-1', ...deliveries.map(({ id }) => String(id))])
    if (theirs !== params.id || answered === 'own') expect(text).not.toContain(theirs)
}

describe('another account’s', () => {
  it('routes that require a merchant’s credentials each have a case here', async () => {
    const answers = await Promise.all(
      NAMES.map(async (name) => {
        const { method, path, body } = requestTo(name, params)
        const answer = await fetch(`${server.url}${path}`, {
          method,
          body,
          headers: { 'content-type': 'application/json' },
        })
        const { status } = answer
        await textOf(answer)
        return { name, isGuarded: status === 401 && !/ \/(console|demo)(\/|$)/.test(name) }
      }),
    )
    expect(answers.filter(({ isGuarded }) => isGuarded).map(({ name }) => name)).toEqual(GUARDED)
    expect(Object.keys(CASES).sort()).toEqual([...GUARDED].sort())
  })

  it.each(GUARDED)('order and merchant are not visible through %s', async (name) => {
    const before = await readAll()
    const { theirs, ours } =
      CASES[name] ?? expect.fail(`${name} has no case in test/security/isolation.test.ts.`)
    await isOnly(await asStranger(name, params), theirs)
    await isOnly(await asStranger(name, params, { 'service-merchant-id': 'strange' }), theirs)
    if (ours !== undefined)
      await isOnly(await asStranger(name, { ...params, ref: 'strange' }), ours)
    expect(await readAll()).toEqual(before)
  })

  it('merchant password does not open the console', async () => {
    for (const name of NAMES.filter((name) => name.includes(' /console'))) {
      const answer = await asStranger(name, params)
      expect(answer.status, name).toBe(401)
    }
  })
})
