// Sends invalid input to every route of the app: no 5xx, and no order is lost. FUZZ_REQUESTS and
// SEED select another run.
import { createHmac } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { basic, DEMO, orderBody, PERSON } from '../../harness/shop.ts'
import { ANY_PATH, fuzzRoute } from './fuzz-route.ts'
import { openScene } from './scene.ts'

const requests = Number(process.env.FUZZ_REQUESTS ?? 25)
const seed = Number(process.env.SEED ?? 1)

const scene = await openScene()
const first = await scene.at('confirming')

afterAll(() => scene.stop())

describe(`${requests} random and mutated requests from seed ${seed}`, () => {
  it.for([...Object.keys(scene.routes), ANY_PATH])(
    '%s gives the contract’s answers and loses no order',
    { timeout: 3_600_000 },
    async (route) => {
      await fuzzRoute(route, { seed, numRuns: requests }, scene)
    },
  )

  it('leave the order from before the first one as it was, and it finishes', async () => {
    expect(await scene.finish(first.orderRef)).toBe('finish')
  })
})

describe('failures that fuzzing has found', () => {
  const merchant = { authorization: basic(DEMO.username, DEMO.password) }
  const post = async (
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ) => {
    const response = await scene.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
  }
  const signatureHeader = (body: string | Uint8Array) => ({
    'x-service-signature': createHmac('sha256', DEMO.secret).update(body).digest('hex'),
  })
  const deep = '['.repeat(10_000) + ']'.repeat(10_000)
  const withDeep = (body: object, member: string): string =>
    JSON.stringify(body).replace('{', `{"${member}":${deep},`)

  it('an order nested too deeply to be stored is refused', async () => {
    expect(await post('/orders', withDeep(orderBody(), 'gui'), merchant)).toEqual({
      status: 409,
      body: { errors: ['Invalid data: the body is nested too deeply to be stored.'] },
    })
  })

  it('a refusal names a deeply nested value instead of showing it', async () => {
    const { orderRef } = await scene.at('placed')
    const response = await scene.send(`/orders/${orderRef}`, {
      method: 'PUT',
      headers: { ...merchant, 'content-type': 'application/json' },
      body: `{"order":{"state":${deep}}}`,
    })
    expect([response.status, await response.json()]).toEqual([
      409,
      {
        errors: [
          'Invalid data: order.state is nested too deeply to be shown, but must be "confirmed", "on_hold", or absent.',
        ],
      },
    ])
  })

  it('a deeply nested field of the identification form is invalid', async () => {
    const { orderRef } = await scene.at('placed')
    const { city: _city, ...rest } = PERSON
    expect(
      await post(`/api/v1/checkout/${orderRef}/identification`, withDeep(rest, 'city')),
    ).toEqual({
      status: 200,
      body: { action: 'show_identification_form', errors: { city: 'invalid' } },
    })
  })

  it('the clock does not move to a time that cannot be represented', async () => {
    const other = await openScene()
    const advance = async () => {
      const response = await other.send('/sandbox/clock/advance', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"seconds":1e10}',
      })
      await response.text()
      return response.status === 200
    }
    let advances = 0
    while (await advance()) advances += 1
    expect(advances).toBe(25)
    const { orderRef } = await other.at('placed')
    // In the year 9949.
    expect(await other.finish(orderRef, { dob_year: '9909' })).toBe('finish')
    await other.stop()
  })

  it('the demo’s receiver verifies the bytes, and not their decoded text', async () => {
    const body = new Uint8Array([0xff, 0xfe])
    expect((await post('/demo/notify', body, signatureHeader(body))).status).toBe(400)
    expect((await post('/demo/notify', body, signatureHeader('\ufffd\ufffd'))).status).toBe(401)
  })
})
