// A merchant who uses pushed events must learn the same as one who polls.

import { entriesOf, type MerchantRequest, type Trace, type WaitPoll } from '../trace/trace.ts'
import { actionOf, isSameJson, withoutCountdown } from '../trace/trace-queries.ts'
import { isActionEvent, pushedAction } from './action-tables.ts'
import { type Clause, type Finding, findingAt, firstOf, type Invariant } from './invariant.ts'

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

/** The first attempts of action events, in the order in which they were sent. */
const actionEventsBefore = (trace: Trace, index: number): readonly MerchantRequest[] =>
  entriesOf({ entries: trace.entries.slice(0, index) }, 'request').filter(
    (request) => isActionEvent(request) && request.trigger === 'schedule' && request.n === 1,
  )

// When nothing is in flight, the last pushed action equals the answer of a poll. If an endpoint is
// down, events queue up.
const lastPushIsPolled = (trace: Trace): Finding | null => {
  const { entries, placed } = trace
  if (!placed.merchant.sendsActionEvents || placed.eventsWebhook === null) return null
  for (const [index, each] of entries.entries()) {
    if (
      each.part !== 'poll' ||
      entries[index - 1]?.part !== 'idle' ||
      entries[index + 1]?.part === 'line'
    )
      continue
    const requests = entriesOf({ entries: entries.slice(0, index) }, 'request').filter(
      isActionEvent,
    )
    const accepted = new Set(
      entriesOf({ entries: entries.slice(0, index) }, 'outcome').flatMap(({ key, outcome }) =>
        outcome === 'accepted' ? [key] : [],
      ),
    )
    if (requests.some(({ key }) => !accepted.has(key))) continue
    const last = actionEventsBefore(trace, index).at(-1)
    const firstPoll = entries.find((one): one is WaitPoll => one.part === 'poll')
    const pushed = last === undefined ? firstPoll?.answer.body : pushedAction(last)
    if (!isSameJson(withoutCountdown(pushed), withoutCountdown(each.answer.body)))
      return findingAt(
        index,
        `Wait answers ${actionOf(each)}, and what was pushed last is ${JSON.stringify(pushed)}.`,
      )
  }
  return null
}

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
