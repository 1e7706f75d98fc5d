import * as TE from 'fp-ts/lib/TaskEither.js'
import { AT } from '../../docs/openapi/examples.ts'
import { jsonAnswer, jsonBodyOf, query, type Route, route } from '../../http/route.ts'
import type { ToolOwner } from '../services.ts'
import type { FaultDrills } from './fault-drills.ts'
import { type Drill, DrillPayload, Drills } from './protocol.ts'

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

const view = TE.map((drills: readonly Drill[]) => ({ drills }))

export const drillRoutes = (
  drills: FaultDrills,
  { path, of, as, merchant: access }: ToolOwner,
): readonly Route[] => {
  const call = `${path}/drills` as const
  return [
    route(`GET ${call}`, `list${of}Drills`, `List the fault drills that are set${as}`, {
      access,
      ok: drillsAnswer('The drills that are set, oldest first.'),
      handle: ({ ref }) => view(drills.list(ref)),
    }),
    route(`POST ${call}`, `set${of}Drill`, `Set a fault drill${as}`, {
      access,
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
    route(`DELETE ${call}`, `clear${of}Drills`, `Clear fault drills${as}`, {
      access,
      parameters: { id: query('Only the drill with this id. Default: all drills.') },
      ok: drillsAnswer('The drills that are still set.'),
      handle: ({ ref }, _, c) => view(drills.clear(ref, c.req.query('id') || null)),
    }),
  ]
}
