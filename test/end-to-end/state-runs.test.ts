// Every state of the statechart is one click away: the sandbox runs the way to it. Sandbox rules,
// Runs.
import { describe, expect, it, onTestFinished } from 'vitest'
import { MACHINE_MAP, STATE_CARDS } from '../../packages/server/src/api/machine/machine-data.ts'
import { findOrderPath } from '../../packages/server/src/api/machine/order-path.ts'
import type { StateRunProgress } from '../../packages/server/src/api/machine/run-progress.ts'
import { freePort } from '../harness/ports-and-folders.ts'
import { startServer } from '../harness/running-server.ts'
import { shopAt } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'

const { shop, receiver } = await servedShop()

/** Every line of the answer. */
const run = async (state: string, at = shop): Promise<readonly StateRunProgress[]> => {
  const answer = await at.send('POST', '/sandbox/demo/runs', { state })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
  return (await answer.text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as StateRunProgress)
}

const STATES = STATE_CARDS.filter(({ guide }) => guide !== null)

/** An order passes through these, or leaves them within seconds. */
const LEFT_SOON = [
  'checkout.open.proving.askingForCode',
  'checkout.open.proving.revealing',
  'checkout.open.proving.verifyingIdentity.verified',
  'checkout.open.proving.verifyingIdentity.unverified',
  'checkout.open.approved',
  'risk.assessing',
]

describe('a run', () => {
  it('is offered for every state that is not a box', () => {
    const inner = MACHINE_MAP.states.map(({ id }) => id)
    expect(STATES.map(({ id }) => id)).toEqual(expect.arrayContaining(inner))
    expect(STATES.filter(({ guide }) => guide?.trigger === null)).toEqual([])
  })

  it.each(STATES.map(({ id, guide }) => [id, guide?.steps.length ?? 0] as const))(
    'brings a new order to %s, in %i steps',
    async (id, steps) => {
      const lines = await run(id)
      const last = lines.at(-1)
      expect(last).toMatchObject({ status: 'reached', done: steps, detail: null })
      expect(lines.slice(0, -1)).toEqual(
        Array.from({ length: steps + 1 }, (_, done) => ({
          ...last,
          status: 'running',
          done,
          event: null,
        })),
      )
      expect(last?.event === null).toBe(!LEFT_SOON.includes(id))
      const path = findOrderPath(MACHINE_MAP, await shop.history(last?.order_ref ?? ''))
      const step = last?.event === null ? path.at(-1) : path.find(({ seq }) => seq === last?.event)
      const visited = [
        ...(step?.active ?? []),
        ...(step?.arrows ?? []).flatMap((arrow) => arrow.split(' ').slice(1)),
      ]
      expect(visited).toContain(
        id === 'checkout.open.proving.verifyingIdentity' ? `${id}.started` : id,
      )
    },
    30_000,
  )

  it('says which step failed, and why', async () => {
    // The demo shop's URLs begin with BASE_URL, where another shop refuses.
    receiver.answer('/demo/notify', { status: 409 })
    const port = await freePort()
    const elsewhere = await startServer({
      env: { PORT: String(port), BASE_URL: receiver.url },
    })
    onTestFinished(() => elsewhere.kill())
    const refused = shopAt(`http://127.0.0.1:${port}`)
    const last = (await run('checkout.confirmed', refused)).at(-1)
    expect(last).toMatchObject({
      status: 'failed',
      done: 4,
      detail: '“The shop accepts the IPN.” failed: the event ipn.accepted did not happen.',
    })
    expect((await refused.order(last?.order_ref ?? '')).state.checkout).toBe('conflicted')
  })
})
