import type { Merchant } from '@plazo/core/ports'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { AT } from '../../docs/openapi/examples.ts'
import {
  type Access,
  accessBy,
  jsonAnswer,
  jsonBodyOf,
  query,
  type Route,
  route,
} from '../../http/route.ts'
import type { SandboxServices } from '../services.ts'
import { type Drill, DrillPayload, Drills } from './protocol.ts'
import { BY_DEMO, ownMerchant } from './routes.ts'

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

const drillsAnswer = (description: string) =>
  jsonAnswer(description, Drills, { 'one drill': { drills: [DRILL] } })

const FAULTS =
  'duplicate, delay, reorder, late_cancel and wrong_signature change what the shop gets. slow, hang, error_then_ok, not_json, conflict, gone and redirect answer in its place. A drill ends when its count is used up, or at until.'

export const drillRoutes = ({ access, byAccount, sandbox }: SandboxServices): readonly Route[] => {
  const { drills } = sandbox.tools
  const view = TE.map((all: readonly Drill[]) => ({ drills: all }))

  const drillsAt = (path: string, of: string, byOwner: Access<Pick<Merchant, 'ref'>>) => [
    route(`GET ${path}`, `list${of}Drills`, 'List the fault drills that are set', {
      access: byOwner,
      ok: drillsAnswer('The drills that are set, oldest first.'),
      handle: ({ ref }) => view(drills.list(ref)),
    }),
    route(`POST ${path}`, `set${of}Drill`, 'Set a fault drill', {
      access: byOwner,
      description: FAULTS,
      body: jsonBodyOf(DrillPayload, {
        'the next IPN fails once': { fault: 'error_then_ok', event: 'ipn' },
        'a tenth of all attempts': { fault: 'wrong_signature', share: 0.1, seed: 'monday' },
      }),
      status: 201,
      ok: drillsAnswer('All drills that are set.'),
      problems: { 400: 'The body is invalid.', 409: 'Twenty drills are set.' },
      handle: ({ ref }, payload) => view(drills.set(ref, payload)),
    }),
    route(`DELETE ${path}`, `clear${of}Drills`, 'Clear fault drills', {
      access: byOwner,
      parameters: { id: query('Only the drill with this id. Default: all drills.') },
      ok: drillsAnswer('The drills that are still set.'),
      handle: ({ ref }, _, c) => view(drills.clear(ref, c.req.query('id') || null)),
    }),
  ]
  const ownAccess = accessBy('merchant', ownMerchant(access), {
    ...byAccount.parameters,
    merchant: query('The merchant, for a browser, which sends no merchant header.'),
  })
  return [
    ...drillsAt('/sandbox/drills', '', ownAccess),
    ...drillsAt('/sandbox/demo/drills', 'Demo', BY_DEMO),
  ]
}
