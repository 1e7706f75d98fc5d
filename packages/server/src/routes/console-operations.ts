// What the document says of the routes in console.ts.
import { OrderView } from '@plazo/core'
import { confirmedOrder } from '../openapi/examples.ts'
import { answer, HTML, json, NO_ORDER, type Operation, type Operations } from '../openapi/operation.ts'

const decision = (id: string, title: string, tells: string): Operation => ({
  id,
  caller: 'operator',
  title,
  tells: `${tells} A browser’s form is led back to the order’s page; anybody else gets the order as JSON.`,
  answers: {
    200: answer('The order as it is now.', json(OrderView, { order: confirmedOrder })),
    303: answer('To a browser: back to the order’s page.', [], { Location: 'The order’s page.' }),
  },
  problems: { 404: NO_ORDER, 409: 'The order’s state does not allow it; to a browser, its page says so.' },
})

export const consoleOperations: Operations = {
  'GET /console/orders/:uuid': {
    id: 'showOrderPage',
    caller: 'operator',
    title: 'See an order’s page',
    tells: 'Where it stands, what may be decided now, and what has happened. cancellation_request_url leads here.',
    answers: { 200: answer('The page.', HTML) },
    problems: { 404: NO_ORDER },
  },
  'POST /console/orders/:uuid/approve': decision(
    'approveOrder',
    'Approve an order on hold',
    'The merchant is asked to confirm it.',
  ),
  'POST /console/orders/:uuid/reject': decision(
    'rejectOrder',
    'Reject an order on hold',
    'The merchant gets the event cancelled.',
  ),
  'POST /console/orders/:uuid/request-cancellation': decision(
    'requestCancellation',
    'Ask the merchant to cancel a confirmed order',
    'The merchant gets the event cancel, for up to a week until there is an answer.',
  ),
  'POST /console/orders/:uuid/cancel': decision(
    'cancelOrder',
    'Cancel a confirmed order',
    'At once, whatever the merchant answers; what was paid is refunded.',
  ),
}
