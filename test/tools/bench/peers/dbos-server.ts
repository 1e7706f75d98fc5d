// The same order on DBOS Transact, written as in its guide: a workflow receives each submission as
// a message, decides in a step, and publishes its answer as an event. `node dbos-server.ts
// <database url> <sink>`
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { decide, notifyMerchant, STEPS, type Submission } from './checkout.ts'
import { importPeer } from './install.ts'

type Dbos = {
  readonly DBOS: {
    readonly workflowID: string
    readonly setConfig: (config: object) => void
    readonly launch: () => Promise<void>
    readonly shutdown: () => Promise<void>
    readonly registerWorkflow: <A>(
      run: (input: A) => Promise<void>,
      options: object,
    ) => (input: A) => Promise<void>
    readonly startWorkflow: <A>(
      run: (input: A) => Promise<void>,
      options: object,
    ) => (input: A) => Promise<unknown>
    readonly runStep: <A>(run: () => Promise<A>, options: object) => Promise<A>
    readonly send: (to: string, message: unknown, topic: string) => Promise<void>
    readonly recv: <A>(topic: string, timeoutSeconds: number) => Promise<A | null>
    readonly setEvent: (key: string, value: unknown) => Promise<void>
    readonly getEvent: <A>(
      workflow: string,
      key: string,
      timeoutSeconds: number,
    ) => Promise<A | null>
  }
}

const [, , systemDatabaseUrl = '', sink = ''] = process.argv
const { DBOS } = await importPeer<Dbos>('@dbos-inc/dbos-sdk')

const DAY = 86_400
const SECONDS = 60

const checkout = DBOS.registerWorkflow(
  async (url: string) => {
    const orderRef = DBOS.workflowID
    for (let step = 1; step <= STEPS; step++) {
      const submitted = await DBOS.recv<Submission>('submission', DAY)
      const answer = await DBOS.runStep(async () => decide(step, submitted ?? {}), {
        name: `step-${step}`,
      })
      await DBOS.setEvent(`answer-${step}`, answer)
    }
    await DBOS.runStep(() => notifyMerchant(url, orderRef), {
      name: 'tellMerchant',
      retriesAllowed: true,
    })
  },
  { name: 'checkout' },
)

// DBOS's default is ten connections; fifty were slower here.
DBOS.setConfig({
  name: 'checkout',
  systemDatabaseUrl,
  logLevel: 'error',
})
await DBOS.launch()

const app = new Hono()
  .post('/orders/:ref', async (c) => {
    await c.req.json()
    await DBOS.startWorkflow(checkout, { workflowID: c.req.param('ref') })(sink)
    return c.json({}, 200)
  })
  .post('/orders/:ref/:step', async (c) => {
    const { ref, step } = c.req.param()
    await DBOS.send(ref, await c.req.json(), 'submission')
    return c.json(await DBOS.getEvent(ref, `answer-${step}`, SECONDS), 200)
  })

const server = createAdaptorServer({ fetch: app.fetch })
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => process.exit(0))
