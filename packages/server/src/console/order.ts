// The decisions about an order. A form sends the revision that its reader saw, so that nothing is
// decided about an order that has changed.
import { Hono } from 'hono'
import { formBody } from '../http/body.ts'
import { DECISION_NAMES } from '../orders/decisions.ts'
import { operatorActs } from '../orders/operator-acts.ts'
import { queueQuery, readQueue } from './decision-queue.ts'
import { type ConsoleEnv, type ConsoleParts, orderRefOf, see, value } from './handler.ts'

export const orderPages = (parts: ConsoleParts) =>
  new Hono<ConsoleEnv>().post(
    `/orders/:uuid/decisions/:name{${DECISION_NAMES.join('|')}}`,
    async (c) => {
      const orderRef = await orderRefOf(c)
      const name = DECISION_NAMES.find((each) => each === c.req.param('name')) ?? 'approve'
      const queue = await value(async () => readQueue(c))
      const { revision } = await value(formBody(c, ['revision']))
      const [page, done] =
        queue.kind === null
          ? [`/orders/${orderRef}`, `?done=${name}`]
          : [`/decisions`, queueQuery(queue, { done: name, order: orderRef })]
      await value(operatorActs(parts).decide(c, orderRef, name, Number(revision)), page)
      return see(c, page + done)
    },
  )
