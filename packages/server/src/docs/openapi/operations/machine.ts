// Operators, and merchants of a sandbox, read here how they follow an order on the statechart.
import { History, OrderView } from '@plazo/core/protocol'
import * as t from 'io-ts'
import { confirmedOrder, historyLine } from '../examples.ts'
import {
  answer,
  call,
  EVENT_STREAM,
  header,
  jsonAnswer,
  type Operations,
  PAGE,
  query,
  text,
} from '../operation.ts'

/** `is_cut`: older lines are left out. */
export const OrderWithLines = t.strict({ order: OrderView, history: History, is_cut: t.boolean })

const WHO =
  'For the operator; in the sandbox also for the order’s own merchant. Knowing the uuid is not enough.'

export const machineOperations: Operations = {
  'GET /machine': call.service('showMachine', 'Read the statechart as a page', { ok: PAGE }),
  'GET /machine/orders/:uuid': call.operator(
    'showOrderOnMachine',
    'Follow an order on the statechart',
    {
      description: `Shows the current states and the path to them, and follows the order live. ${WHO}`,
      ok: PAGE,
    },
  ),
  'GET /machine/orders/:uuid/history': call.operator(
    'readOrderOnMachine',
    'Get an order with its newest history',
    {
      description: `What the page shows, as data: at most 1,000 lines. ${WHO}`,
      ok: jsonAnswer('The order and its journal, oldest first.', OrderWithLines, {
        order: { order: confirmedOrder, history: [historyLine], is_cut: false },
      }),
    },
  ),
  'GET /machine/orders/:uuid/history/events': call.operator(
    'followOrderOnMachine',
    'Follow an order’s history',
    {
      description: `Server-sent events. Each has the type line, a line of the history as data, and its seq as id. ${WHO}`,
      parameters: {
        after: query('The seq of the last known line. Default: 0, for all lines.'),
        'Last-Event-ID': header('The same; browsers send it when they connect again.'),
      },
      ok: answer('The stream. A comment follows 15 s of silence.', EVENT_STREAM),
      problems: { 400: 'after is not a number.', 429: 'The account has 8 open streams.' },
      isSampled: false,
    },
  ),
  'GET /sdk/machine.json': call.frontend('machineData', 'Load the statechart as data', {
    description:
      'What the custom element draws: positions, states and transitions. It may change with each version.',
    ok: answer('The data.', text('application/json')),
  }),
}
