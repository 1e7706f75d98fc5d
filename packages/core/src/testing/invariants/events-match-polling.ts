// A merchant who uses pushed events must learn the same as one who polls.

import { entriesOf, type MerchantRequest, type Trace } from '../trace/trace.ts'
import { actionOf, isSameJson, withoutCountdown } from '../trace/trace-queries.ts'
import { isActionEvent, pushedAction } from './action-tables.ts'
import { type Clause, type Finding, firstOf, type Invariant } from './invariant.ts'

const pushesEachChange = (trace: Trace): Finding | null => {
  const { placed } = trace
  let before: unknown = null
  return firstOf('step', (each) => {
    const pushed = each.step.effects.flatMap((effect) =>
      effect.type === 'do' &&
      effect.payload.kind === 'event' &&
      effect.payload.event === 'identification_action'
        ? [pushedAction({ ...effect.payload } as unknown as MerchantRequest)]
        : [],
    )
    const isChange =
      before !== null && !isSameJson(withoutCountdown(before), withoutCountdown(each.wait))
    before = each.wait
    const isDue = isChange && placed.merchant.sendsActionEvents && placed.eventsWebhook !== null
    if (pushed.length !== (isDue ? 1 : 0))
      return `Wait ${isChange ? 'changed' : 'did not change'} and ${pushed.length} action events were made.`
    if (isDue && !isSameJson(pushed[0], each.wait))
      return `An action event says ${JSON.stringify(pushed[0])}, and wait ${JSON.stringify(each.wait)}.`
    return null
  })(trace)
}

// When nothing is in flight, the last pushed action equals the answer of a poll. If an endpoint is
// down, events queue up.
const lastPushIsPolled = firstOf('poll', (poll, { entries, placed }, index) => {
  if (!placed.merchant.sendsActionEvents || placed.eventsWebhook === null) return null
  if (entries[index - 1]?.part !== 'idle' || entries[index + 1]?.part === 'line') return null
  const before = { entries: entries.slice(0, index) }
  const requests = entriesOf(before, 'request').filter(isActionEvent)
  const accepted = entriesOf(before, 'outcome').filter(({ outcome }) => outcome === 'accepted')
  if (requests.some(({ key }) => !accepted.some((each) => each.key === key))) return null
  const last = requests.findLast(({ trigger, n }) => trigger === 'schedule' && n === 1)
  const pushed =
    last === undefined ? entriesOf({ entries }, 'poll')[0]?.answer.body : pushedAction(last)
  return isSameJson(withoutCountdown(pushed), withoutCountdown(poll.answer.body))
    ? null
    : `Wait answers ${actionOf(poll)}, and what was pushed last is ${JSON.stringify(pushed)}.`
})

const noUnrequestedPush: Clause = {
  claim: 'no action event is sent to a merchant who has not asked for them',
  needs: ['request'],
  check: firstOf('request', (request, { placed }) =>
    isActionEvent(request) && !placed.merchant.sendsActionEvents
      ? 'An action event was sent to a merchant without the option.'
      : null,
  ),
}

export const pushPullParity: Invariant = {
  number: 5,
  name: 'push–pull parity',
  section: 'Interface §6.2',
  clauses: [
    {
      claim:
        'each change of what wait answers makes one action event that says the same, and nothing else makes any',
      needs: ['step'],
      check: pushesEachChange,
    },
    {
      claim: 'once everything has arrived, what was pushed last is what wait answers',
      needs: ['request', 'outcome', 'poll', 'idle'],
      check: lastPushIsPolled,
    },
    noUnrequestedPush,
  ],
}
