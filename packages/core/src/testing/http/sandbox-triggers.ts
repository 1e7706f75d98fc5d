// The sandbox documents the path of each trigger. This walks every trigger, so that a test can
// compare both paths.
import { fieldsOf } from '../trace/trace-queries.ts'
import { fetchMerchantTerms, pathsOf } from './conformance.ts'
import { formOf, type Journey, participantsOf } from './journeys.ts'
import { takeTurn } from './participants.ts'
import { placeRemoteOrder, type RemoteOrder } from './remote-order.ts'
import { callsTo, namesOf, type Subject } from './subject.ts'

/** The path of one trigger, as documented and as walked. */
export type TriggerPaths = {
  readonly surnames: string
  /** The answers of wait on the way: `documented` by the catalogue, `actual` in fact. */
  readonly documented: readonly string[]
  readonly actual: readonly string[]
}

/** The answer of wait in each state of the checkout. Contract §3 and §4. */
const WAIT: Readonly<Record<string, string>> = {
  identifying: 'show_identification_form',
  verifying_phone: 'require_validate_otp',
  screening: 'wait_for_screening',
  screened: 'resume_after_screening',
  verifying_identity: 'wait_for_id_verification',
  choosing_alternative: 'alt_payment',
  paying: 'require_payment',
  confirming: 'wait_for_confirmation',
  holding: 'wait_for_on_hold',
  reviewing: 'show_on_hold',
  confirmed: 'finish',
  rejected: 'reject',
  cancelled: 'reject',
  conflicted: 'show_conflict',
  failed: 'show_error',
  expired: 'show_error',
}

const visitedActions = (order: RemoteOrder): readonly string[] =>
  order.visitedStates().map((state) => WAIT[state] ?? state)

// Stops where the catalogue's path ends, because the shopper chooses what follows.
const followPath = async (
  order: RemoteOrder,
  journey: Journey,
  form: Readonly<Record<string, unknown>>,
  path: readonly string[],
): Promise<void> => {
  for (
    let steps = 0;
    steps < 2 * path.length && visitedActions(order).length < path.length;
    steps++
  ) {
    const answer = fieldsOf((await order.poll()).body)
    const isScreening = answer.action === 'wait_for_screening'
    if (isScreening || !(await takeTurn(participantsOf(order, journey, form), answer)))
      await order.advance(isScreening && steps > path.length ? 60 : 5)
  }
}

/** Walks every trigger of `GET /sandbox/triggers`, in the order of the catalogue. */
export const walkTriggers = async (subject: Subject): Promise<readonly TriggerPaths[]> => {
  const { body } = await callsTo(subject).asAnybody('GET', '/sandbox/triggers')
  const { triggers } = fieldsOf(body)
  const merchantTerms = await fetchMerchantTerms(subject)
  if (!Array.isArray(triggers) || merchantTerms === null)
    throw new Error(`${subject.url} is not a sandbox of this merchant.`)
  const pathOf = pathsOf(subject)
  const actual: TriggerPaths[] = []
  for (const [index, trigger] of triggers.entries()) {
    const { surnames, path } = fieldsOf(trigger)
    const documented = (path as readonly string[]).map(String)
    const product = documented.includes('require_payment') ? 'fp1' : 'i1'
    const order = await placeRemoteOrder(subject, merchantTerms, pathOf(index))
    if (order === null)
      throw new Error(`${subject.url} refused an order of ${subject.merchant.ref}.`)
    const journey = { name: '', surnames: String(surnames), product } as const
    await followPath(order, journey, formOf(journey, namesOf(subject).privacyField), documented)
    actual.push({ surnames: String(surnames), documented, actual: visitedActions(order) })
  }
  return actual
}
