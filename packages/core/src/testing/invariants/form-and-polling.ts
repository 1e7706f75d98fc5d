// Right forms must be accepted and wrong ones refused without any change, and polling must only
// read.

import type { FormSubmission, Trace } from '../trace/trace.ts'
import { actionOf, fieldsOf, isSameJson, withoutCountdown } from '../trace/trace-queries.ts'
import { firstOf, type Invariant } from './invariant.ts'

const namesTheWrongFields = ({ answer, wrongFields }: FormSubmission): string | null => {
  if (wrongFields === null) return null
  const { action, errors } = fieldsOf(answer.body)
  const fields = fieldsOf(errors)
  const named = Object.keys(fields).sort()
  const isForm = action === 'show_identification_form'
  if (wrongFields.length === 0)
    return isForm && !(named.length === 1 && named[0] === 'validation_code')
      ? `A form without a wrong field was answered by a form that names ${named.join(', ') || 'none'}.`
      : null
  if (!isForm) return `A form with ${wrongFields.join(', ')} wrong was answered ${action}.`
  if (!isSameJson(named, [...wrongFields].sort()))
    return `A form with ${wrongFields.join(', ')} wrong had ${named.join(', ')} named.`
  const other = Object.values(fields).find((error) => error !== 'invalid')
  return other === undefined
    ? null
    : `A field was found ${JSON.stringify(other)}, and invalid is the only error.`
}

const wasRefused = ({ answer }: FormSubmission): boolean => {
  const { action, errors } = fieldsOf(answer.body)
  return (
    action === 'show_identification_form' &&
    Object.keys(fieldsOf(errors)).some((name) => name !== 'validation_code')
  )
}

// If nothing else happens between, the polls before and after a refused form give the same answer.
const leavesWaitAsItWas = firstOf('submission', (each, { entries }, index) => {
  const [before, after] = [entries[index - 1], entries[index + 1]]
  if (!wasRefused(each) || before?.part !== 'poll' || after?.part !== 'poll') return null
  return isSameJson(withoutCountdown(before.answer.body), withoutCountdown(after.answer.body))
    ? null
    : `A refused form changed what wait answers to ${actionOf(after)}.`
})

const stepCausedBy = ({ entries }: Trace, id: string): boolean =>
  entries.some((each) => each.part === 'step' && each.cause === id)

export const validation: Invariant = {
  number: 3,
  name: 'validation both ways',
  section: 'Interface §4.1',
  clauses: [
    {
      claim:
        'a form is shown again for its fields if and only if one is wrong, and names all that are, each invalid',
      needs: ['submission'],
      check: firstOf('submission', namesTheWrongFields),
    },
    {
      claim: 'a refused form does not change what wait answers',
      needs: ['submission', 'poll'],
      check: leavesWaitAsItWas,
    },
    {
      claim: 'a refused form makes no step',
      needs: ['submission', 'step', 'cause'],
      check: firstOf('submission', (submitted, trace) =>
        wasRefused(submitted) && stepCausedBy(trace, submitted.id)
          ? 'A refused form has stepped the order.'
          : null,
      ),
    },
  ],
}

// Two polls can be compared only if they are adjacent. A line directly after them may have happened
// between them.
const pollsAgree = firstOf('poll', (each, { entries }, index) => {
  const before = entries[index - 1]
  if (before?.part !== 'poll' || entries[index + 1]?.part === 'line') return null
  const isSame =
    each.at === before.at
      ? isSameJson(each.answer, before.answer)
      : isSameJson(withoutCountdown(each.answer.body), withoutCountdown(before.answer.body))
  return isSame
    ? null
    : `Polled twice, wait answered ${actionOf(before)} and then ${actionOf(each)}.`
})

export const pollingIsRead: Invariant = {
  number: 4,
  name: 'polling is a pure read',
  section: 'Interface §4.2',
  clauses: [
    {
      claim: 'polls with nothing between them are answered alike',
      needs: ['poll', 'instant'],
      check: pollsAgree,
    },
    {
      claim: 'a poll makes no step',
      needs: ['poll', 'step', 'cause'],
      check: firstOf('poll', (polled, trace) =>
        stepCausedBy(trace, polled.id) ? 'A poll has stepped the order.' : null,
      ),
    },
  ],
}
