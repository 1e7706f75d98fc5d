// The operator's calls for programs: the four decisions about an order, and the erasure of its
// shopper. They have no body, so they decide about the order as it is now. Contract §9.
import { orderView, previewErasure } from '@plazo/core'
import { OrderView } from '@plazo/core/protocol'
import { accessBy, jsonAnswer, type Route, route, uuidParam, value } from '../../http/route.ts'
import type { Services } from '../../http/services.ts'
import { confirmedOrder } from '../docs/openapi/examples.ts'
import { DECISION_NAMES, DECISIONS, type DecisionName } from './decisions.ts'
import { ErasedView, ErasureView, erasedView, erasureView } from './erasure.ts'
import { operatorActs } from './operator-acts.ts'

export const operatorRoutes = (services: Services): readonly Route[] => {
  const { host, operator } = services
  const acts = operatorActs(services)
  const access = accessBy('operator', async (c) => {
    await operator(c)
    return uuidParam(c)
  })
  const decide = (name: DecisionName): Route => {
    const { operationId, summary, description } = DECISIONS[name]
    return route(`POST /console/orders/:uuid/${name}`, operationId, summary, {
      access,
      description,
      ok: jsonAnswer('The current order.', OrderView, { order: confirmedOrder }),
      problems: { 409: 'The order’s state does not allow it.' },
      handle: async (orderRef, _, c) =>
        orderView(await value(acts.decide(c, orderRef, name, null))),
    })
  }
  return [
    ...DECISION_NAMES.map(decide),
    route('GET /console/orders/:uuid/erasure', 'previewErasure', 'See what an erasure destroys', {
      access,
      ok: jsonAnswer('What would go, and what is unfinished.', ErasureView),
      handle: async (orderRef) => erasureView(await value(previewErasure(host)(orderRef))),
    }),
    route('POST /console/orders/:uuid/erasure', 'eraseShopper', 'Erase the shopper of an order', {
      access,
      description:
        'Destroys the shopper’s data. The order, its history and its list of deliveries stay. Only a backup can restore the data.',
      ok: jsonAnswer('The shopper is erased.', ErasedView),
      problems: { 409: 'The checkout has not ended, or the order still has jobs.' },
      handle: async (orderRef, _, c) => erasedView(orderRef, await value(acts.erase(c, orderRef))),
    }),
  ]
}
