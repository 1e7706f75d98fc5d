// Says why an order does not go on, to its merchant and to the operator, who sees all of it. Contract
// §3, Explanation.
import { explainOrder, explanationView, type Order } from '@plazo/core'
import { ExplanationView } from '@plazo/core/protocol'
import { anyOrder, operatorOf } from '../../http/access.ts'
import { acceptedLanguage } from '../../http/request.ts'
import { header, jsonAnswer, type Route, route, value } from '../../http/route.ts'
import type { Services } from '../../http/services.ts'

export const explanationRoute = ({ host, byOwner, operatorOr }: Services): Route => {
  const explain = explainOrder(host)
  return route('GET /orders/:uuid/explanation', 'explainOrder', 'Explain an order', {
    access: { ...byOwner, load: operatorOr<Order>(anyOrder(host), byOwner.load) },
    description:
      'Why the order stands where it stands, whom it awaits, what happens next by itself, and what anybody may do. The operator’s credentials show all of it. Merchants do not see what concerns only providers and operators.',
    parameters: { 'Accept-Language': header('The language of the sentences.') },
    ok: jsonAnswer('The explanation.', ExplanationView),
    headers: () => ({ vary: 'Accept-Language' }),
    handle: async (order, _, c) =>
      explanationView(order, await value(explain(order)), {
        language: acceptedLanguage(c, order.placed.merchant.country),
        isForMerchant: operatorOf(c) === undefined,
      }),
  })
}
