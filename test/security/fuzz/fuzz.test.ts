// Sends invalid input to every route of the app: no 5xx, and no order is lost. FUZZ_REQUESTS and
// SEED select another run.
import { afterAll, describe, expect, it } from 'vitest'
import { basic, DEMO, orderBody } from '../../harness/shop.ts'
import { fuzzRoute } from './fuzz-route.ts'
import { openScene } from './scene.ts'

const requests = Number(process.env.FUZZ_REQUESTS ?? 25)
const seed = Number(process.env.SEED ?? 1)

const scene = await openScene()

afterAll(() => scene.stop())

describe(`${requests} random and mutated requests from seed ${seed}`, () => {
  it.for(Object.keys(scene.routes))(
    '%s gives the contract’s answers and loses no order',
    { timeout: 3_600_000 },
    async (route) => {
      await fuzzRoute(route, { seed, numRuns: requests }, scene)
    },
  )
})

describe('failures that fuzzing has found', () => {
  const post = (path: string, body: string): Promise<Response> => {
    const authorization = basic(DEMO.username, DEMO.password)
    const headers = { 'content-type': 'application/json', authorization }
    return scene.send(path, { method: 'POST', headers, body })
  }

  it('an order nested too deeply to be stored is refused', async () => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000)
    const body = JSON.stringify(orderBody()).replace('{', `{"gui":${deep},`)
    const answer = await post('/orders', body)
    expect(answer.status).toBe(409)
    expect(await answer.json()).toEqual({
      errors: ['Invalid data: the body is nested too deeply to be stored.'],
    })
  })

  it('the clock does not move to a time that cannot be represented', async () => {
    expect((await post('/sandbox/clock/advance', '{"seconds":1e12}')).status).toBe(400)
  })
})
