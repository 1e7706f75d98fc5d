// Operators, and merchants of a sandbox, read here how they follow an order on the statechart.
import { History, OrderView } from '@plazo/core'
import * as t from 'io-ts'
import { confirmedOrder, historyLine } from '../examples.ts'
import {
  answer,
  EVENT_STREAM,
  frontendCall,
  JAVASCRIPT,
  json,
  NO_ORDER,
  type Operations,
  operatorCall,
  PAGE,
  query,
  serviceCall,
  text,
} from '../operation.ts'

/** `is_cut`: older lines are left out. */
const OrderOnMachine = t.strict({ order: OrderView, history: History, is_cut: t.boolean })

const WHO = 'For the operator; in the sandbox also for the order’s own merchant. Knowing the uuid is not enough.'

export const machineOperations: Operations = {
  'GET /machine': serviceCall('showMachine', 'Read the statechart as a page', {
    answers: { 200: PAGE },
  }),
  'GET /machine/orders/:uuid': operatorCall('showOrderOnMachine', 'Follow an order on the statechart', {
    description: `Shows the current states and the path to them, and follows the order live. ${WHO}`,
    answers: { 200: PAGE },
    problems: { 404: NO_ORDER },
  }),
  'GET /machine/orders/:uuid/history': operatorCall('readOrderOnMachine', 'Get an order with its newest history', {
    description: `What the page shows, as data: at most 1,000 lines. ${WHO}`,
    answers: {
      200: answer(
        'The order and its journal, oldest first.',
        json(OrderOnMachine, { order: { order: confirmedOrder, history: [historyLine], is_cut: false } }),
      ),
    },
    problems: { 404: NO_ORDER },
  }),
  'GET /machine/orders/:uuid/history/events': operatorCall('followOrderOnMachine', 'Follow an order’s history', {
    description: `Server-sent events. Each has the type line, a line of the history as data, and its seq as id. ${WHO}`,
    parameters: {
      after: query('The seq of the last known line. Default: 0, for all lines.'),
      'Last-Event-ID': {
        in: 'header',
        description: 'The same; browsers send it when they connect again.',
        codec: t.string,
      },
    },
    answers: { 200: answer('The stream. A comment follows 15 s of silence.', EVENT_STREAM) },
    problems: { 400: 'after is not a number.', 404: NO_ORDER, 429: 'The account has 8 open streams.' },
    isSampled: false,
  }),
  'GET /sdk/machine.js': frontendCall('machineSdk', 'Load the script of the custom element plazo-machine', {
    description: 'A module that pages of any origin may load. The element shows the statechart and an order’s path.',
    answers: { 200: answer('The script.', JAVASCRIPT) },
  }),
  'GET /sdk/machine.json': frontendCall('machineData', 'Load the statechart as data', {
    description: 'What the custom element draws: positions, states and transitions. It may change with each version.',
    answers: { 200: answer('The data.', text('application/json')) },
  }),
}
