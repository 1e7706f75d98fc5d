// Developers read here how they move time, and read the sent codes and the test triggers.
import { Advanced, AdvancePayload, ClockView, SmsSent, TriggerCatalogue } from '@plazo/core'
import * as t from 'io-ts'
import { AT } from '../examples.ts'
import { answer, call, HTML, json, jsonAnswer, jsonRequest, type Operations, ORDER_REF, query } from '../operation.ts'

const ALSO_A_PAGE = 'A page, if the client accepts HTML.'

const advanced = jsonAnswer('The jobs that became due.', Advanced, {
  fired: { now: AT, fired: [{ at: AT, order_ref: ORDER_REF, what: 'ipn' }] },
})

export const sandboxOperations: Operations = {
  'GET /sandbox/triggers': call.sandbox('listTriggers', 'List the test triggers', {
    description: 'The surnames, the one-time code and the cards that trigger each outcome.',
    ok: answer(`The catalogue. ${ALSO_A_PAGE}`, [json(TriggerCatalogue), HTML]),
  }),
  'GET /sandbox/messages': call.sandbox('listMessages', 'List the SMS that were sent', {
    description:
      'Waits up to 1 s for a code that is still being sent. The page shows the demo merchant’s newest orders if order_ref is missing; an order of another merchant requires that merchant’s credentials there.',
    parameters: {
      order_ref: query('The order’s uuid.', { isRequired: true, variable: 'ORDER' }),
    },
    ok: answer(`Oldest first. ${ALSO_A_PAGE}`, [
      json(t.readonlyArray(SmsSent), {
        'a code': [{ at: AT, to: '600123456', text: 'Your code is 04711.', code: '04711' }],
      }),
      HTML,
    ]),
    problems: {
      400: 'order_ref is missing, or not a uuid.',
      401: 'The page of another merchant’s order requires that merchant’s credentials.',
      404: 'The page of an order that is not the caller’s.',
    },
  }),
  'GET /sandbox/clock': call.sandbox('showClock', 'Get the service’s time', {
    ok: answer(`Now. ${ALSO_A_PAGE}`, [json(ClockView, { now: { now: AT } }), HTML]),
  }),
  'POST /sandbox/clock/advance': call.sandbox('advanceClock', 'Advance the service’s clock', {
    description: 'Runs each job that becomes due, in order, and answers afterwards.',
    body: jsonRequest(AdvancePayload, { 'only what is due now': { seconds: 0 }, 'a minute': { seconds: 60 } }),
    ok: advanced,
    problems: {
      400: 'The body or seconds is invalid, or the clock would pass the year 9999.',
      409: 'The clock is already being advanced.',
    },
  }),
  'POST /sandbox/clock/next': call.sandbox('advanceClockToNext', 'Advance the service’s clock to the next job', {
    description: 'Moves the clock to the instant at which the next job is due, of any order, and runs it.',
    ok: advanced,
    problems: { 409: 'The clock is already being advanced.' },
  }),
}
