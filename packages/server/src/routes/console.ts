// What an operator decides about an order. Contract §8.

import {
  approveOrder,
  cancelOrder,
  type DecisionError,
  type Host,
  type Order,
  orderView,
  rejectOrder,
  requestCancellation,
} from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Hono } from 'hono'
import { isOperator } from '../merchant-access.ts'
import { problem } from '../problem.ts'
import { basicCredentials, ownOrigin, uuidParam } from '../request.ts'
import { type AnswerError, answering } from './answers.ts'

type Decision = (orderRef: string) => TE.TaskEither<DecisionError, Order>

export const consoleRoutes = (host: Host, baseUrl: string, password: string, answerError: AnswerError) => {
  const decisions: { readonly [name: string]: Decision } = {
    approve: approveOrder(host),
    reject: rejectOrder(host),
    'request-cancellation': requestCancellation(host),
    cancel: (orderRef) => cancelOrder(host)(orderRef, 'operator'),
  }
  const app = new Hono()
    .use('/console/*', async (c, next) =>
      isOperator(basicCredentials(c), password)
        ? next()
        : problem(c, 401, 'The operator’s credentials are needed: HTTP Basic.', {
            'www-authenticate': 'Basic realm="console", charset="UTF-8"',
          }),
    )
    .use('/console/*', ownOrigin(baseUrl))
  for (const [name, decide] of Object.entries(decisions))
    app.post(`/console/orders/:uuid/${name}`, (c) =>
      answering(c, answerError, pipe(TE.fromEither(uuidParam(c)), TE.chainW(decide)), (order) =>
        c.json(orderView(order)),
      ),
    )
  return app
}
