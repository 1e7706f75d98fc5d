// The same order on Restate: the handlers that its server calls. `node restate-endpoint.ts <sink>
// [asking]`. A virtual object with durable steps, as in Restate's state machine example; a workflow
// that waits for promises was slower here.
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import {
  decide,
  isAnsweredAtOnce,
  isRequestedAfter,
  notifyMerchant,
  STEPS,
  type Submission,
  WITH_REQUEST,
} from './checkout.ts'
import { importPeer } from './install.ts'

type Context = {
  readonly key: string
  readonly run: <A>(name: string, action: () => A | Promise<A>) => Promise<A>
  readonly get: <A>(name: string) => Promise<A | null>
  readonly set: (name: string, value: unknown) => void
  readonly serviceSendClient: (service: { readonly name: string }) => {
    readonly tell: (orderRef: string) => void
  }
}
type Restate = {
  readonly object: (definition: object) => object
  readonly service: (definition: object) => object
  readonly createEndpointHandler: (options: object) => Parameters<typeof createServer>[1]
}

const [, , sink = '', asking = ''] = process.argv
const restate = await importPeer<Restate>('@restatedev/restate-sdk')

const checkout = restate.object({
  name: 'checkout',
  handlers: {
    place: async (ctx: Context) => {
      ctx.set('step', 0)
    },
    submit: async (ctx: Context, submitted: Submission) => {
      const step = ((await ctx.get<number>('step')) ?? 0) + 1
      const answer = await ctx.run(`step-${step}`, () => decide(step, submitted))
      ctx.set('step', step)
      if (asking === WITH_REQUEST)
        for (const name of isRequestedAfter(step)) await ctx.run(name, isAnsweredAtOnce)
      if (step === STEPS) ctx.serviceSendClient({ name: 'merchant' }).tell(ctx.key)
      return answer
    },
  },
})
const merchant = restate.service({
  name: 'merchant',
  handlers: {
    tell: async (ctx: Context, orderRef: string) => {
      await ctx.run('tellMerchant', () => notifyMerchant(sink, orderRef))
    },
  },
})

const server = createServer(restate.createEndpointHandler({ services: [checkout, merchant] }))
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => process.exit(0))
