// Developers read here how they make their webhooks go wrong.
import { type Drill, DrillPayload, Drills } from '@plazo/core'
import { AT } from '../examples.ts'
import {
  answer,
  body,
  json,
  merchantCall,
  merchantHeader,
  type Operation,
  type Operations,
  query,
  type Setting,
  sandboxCall,
} from '../operation.ts'

const DRILL: Drill = {
  id: '5f0e4c53-9a6f-4d0f-8c1f-2a110b8e6f5c',
  fault: 'error_then_ok',
  event: 'ipn',
  order_ref: null,
  count: 1,
  touched: 0,
  share: null,
  seed: null,
  seconds: 0,
  until: AT,
}

const SET = json(Drills, { 'one drill': { drills: [DRILL] } })

const FAULTS =
  'duplicate, delay, reorder, late_cancel and wrong_signature change what the shop gets. slow, hang, error_then_ok, not_json, conflict, gone and redirect answer in its place. A drill ends when its count is used up, or at until.'

const operationsOf = (call: typeof merchantCall, of: string, parameters: NonNullable<Operation['parameters']>) => ({
  list: call(`list${of}Drills`, 'List the fault drills that are set', {
    parameters,
    answers: { 200: answer('The drills that are set, oldest first.', SET) },
  }),
  set: call(`set${of}Drill`, 'Set a fault drill', {
    parameters,
    description: FAULTS,
    body: body(
      json(DrillPayload, {
        'the next IPN fails once': { fault: 'error_then_ok', event: 'ipn' },
        'a tenth of all attempts': { fault: 'wrong_signature', share: 0.1, seed: 'monday' },
      }),
    ),
    answers: { 201: answer('All drills that are set.', SET) },
    problems: { 400: 'The body is invalid.', 409: 'Twenty drills are set.' },
  }),
  clear: call(`clear${of}Drills`, 'Clear fault drills', {
    parameters: { ...parameters, id: query('Only the drill with this id. Default: all drills.') },
    answers: { 200: answer('The drills that are still set.', SET) },
  }),
})

export const drillOperations = (setting: Setting): Operations => {
  const own = operationsOf(merchantCall, '', {
    ...merchantHeader(setting),
    merchant: query('The merchant, where a browser sends no header.'),
  })
  const demo = operationsOf(sandboxCall, 'Demo', {})
  return {
    'GET /sandbox/drills': own.list,
    'POST /sandbox/drills': own.set,
    'DELETE /sandbox/drills': own.clear,
    'GET /sandbox/demo/drills': demo.list,
    'POST /sandbox/demo/drills': demo.set,
    'DELETE /sandbox/demo/drills': demo.clear,
  }
}
