// The same order on Restate: the handlers that its server calls. `node restate-endpoint.ts <sink>`. A virtual object with durable steps, as in Restate's state machine example; a workflow
// that waits for promises was slower here.
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import * as restate from '@restatedev/restate-sdk'
import { decide, notifyMerchant, STEPS, type Submission } from './checkout.ts'

const [, , sink = ''] = process.argv

const merchant = restate.service({
  name: 'merchant',
  handlers: {
    tell: async (ctx: restate.Context, orderRef: string): Promise<void> => {
      await ctx.run('tellMerchant', () => notifyMerchant(sink, orderRef))
    },
  },
})
const checkout = restate.object({
  name: 'checkout',
  handlers: {
    place: async (ctx: restate.ObjectContext) => {
      ctx.set('step', 0)
    },
    submit: async (ctx: restate.ObjectContext, submitted: Submission) => {
      const step = ((await ctx.get<number>('step')) ?? 0) + 1
      const answer = await ctx.run(`step-${step}`, () => decide(step, submitted))
      ctx.set('step', step)
      if (step === STEPS) ctx.serviceSendClient(merchant).tell(ctx.key)
      return answer
    },
  },
})

const server = createServer(restate.createEndpointHandler({ services: [checkout, merchant] }))
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => process.exit(0))
