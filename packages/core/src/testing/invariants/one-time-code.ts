// The rules of the one-time code: which code is accepted, how often, and where a code may be
// visible. Contract §4, OTP.

import { isSamePerson } from '../../order/person.ts'
import type { Person } from '../../protocol/identification-form.ts'
import type { FormSubmission, SmsMessage, Trace } from '../trace/trace.ts'
import { actionOf, fieldsOf, isValidForm, stateAt } from '../trace/trace-queries.ts'
import { type Finding, findingAt, firstOf, type Invariant } from './invariant.ts'

/** A form submitted while the order asks for a code. */
type CodeSubmission = {
  readonly index: number
  readonly submission: FormSubmission
  readonly code: unknown
  readonly isSame: boolean
  /** The last message sent before the form, with its index. */
  readonly lastMessage: { readonly index: number; readonly message: SmsMessage } | null
  /** True if another person has submitted since then, which makes earlier codes void. */
  readonly isVoid: boolean
}

const GATE = 'verifying_phone'
const STAYS = ['show_identification_form', 'require_validate_otp', 'show_error']

/**
 * Forms submitted while a code was asked for. The trace has a form's own lines before the form, so
 * these are skipped.
 */
const gates = (trace: Trace): readonly CodeSubmission[] => {
  const { entries, placed } = trace
  let person: Person | null = null
  let changedAt = -1
  const gate: CodeSubmission[] = []
  for (const [index, submission] of entries.entries()) {
    if (submission.part !== 'submission' || !isValidForm(submission)) continue
    const submitter = submission.body as unknown as Person
    const isSame = person !== null && isSamePerson(person, submitter, placed.merchant.country)
    const quiet = entries.findLastIndex(
      (each, place) => place < index && each.part !== 'line' && each.part !== 'step',
    )
    if (stateAt(trace, quiet + 1).checkout === GATE) {
      const at = entries.findLastIndex((each, place) => place < index && each.part === 'message')
      const message = entries[at]
      const lastMessage = message?.part === 'message' ? { index: at, message } : null
      const isVoid = at < changedAt
      gate.push({
        index,
        submission,
        code: submission.body.validation_code,
        isSame,
        lastMessage,
        isVoid,
      })
    }
    if (person !== null && !isSame) changedAt = index
    person = submitter
  }
  return gate
}

const isFiveDigits = (code: unknown): code is string =>
  typeof code === 'string' && /^\d{5}$/.test(code)

const isPassed = ({ submission }: CodeSubmission): boolean => !STAYS.includes(actionOf(submission))

const isRight = (
  { rules }: Trace,
  { code, lastMessage, submission, isVoid }: CodeSubmission,
): boolean =>
  isFiveDigits(code) &&
  !isVoid &&
  lastMessage !== null &&
  (code === lastMessage.message.code || code === rules.masterCode) &&
  submission.at < lastMessage.message.at + rules.otpLifetime

const onlyRightCodePasses = (trace: Trace): Finding | null => {
  for (const gate of gates(trace)) {
    if (!isPassed(gate)) continue
    const action = actionOf(gate.submission)
    if (!gate.isSame)
      return findingAt(gate.index, `Another person was led through the gate to ${action}.`)
    if (!isRight(trace, gate))
      return findingAt(
        gate.index,
        `The code ${JSON.stringify(gate.code)} led to ${action}; it is not the last one sent, or too old.`,
      )
  }
  return null
}

const WRONG_CODES_MAX = 5

const rightCodePasses = (trace: Trace): Finding | null => {
  let wrong = 0
  let counted = -1
  for (const gate of gates(trace)) {
    if (gate.lastMessage?.index !== counted) wrong = 0
    counted = gate.lastMessage?.index ?? -1
    if (!gate.isSame) continue
    if (isRight(trace, gate) && wrong < WRONG_CODES_MAX && !isPassed(gate))
      return findingAt(gate.index, `The right code was answered ${actionOf(gate.submission)}.`)
    if (isFiveDigits(gate.code) && !isPassed(gate)) wrong += 1
  }
  return null
}

const wrongCodeIsNamed = (trace: Trace): Finding | null => {
  for (const gate of gates(trace)) {
    if (!gate.isSame || isPassed(gate) || gate.code === undefined || gate.code === null) continue
    const { action, errors } = fieldsOf(gate.submission.answer.body)
    if (action !== 'show_identification_form' || fieldsOf(errors).validation_code !== 'invalid')
      return findingAt(
        gate.index,
        `A wrong code was answered ${String(action)} ${JSON.stringify(errors)}.`,
      )
  }
  return null
}

export const otpGate: Invariant = {
  number: 10,
  name: 'one-time code gate',
  section: 'Contract §4, OTP',
  clauses: [
    {
      claim:
        'only the last code sent, of five digits, in time, by the same person, leads on from the gate',
      needs: ['submission', 'message', 'line'],
      check: onlyRightCodePasses,
    },
    {
      claim: 'the last code sent, in time and after fewer than five wrong ones, leads on',
      needs: ['submission', 'message', 'line', 'instant'],
      check: rightCodePasses,
    },
    {
      claim: 'a code that does not lead on is answered by the form, with validation_code invalid',
      needs: ['submission', 'message', 'line'],
      check: wrongCodeIsNamed,
    },
  ],
}

const ISSUES_MAX = 3
const PAUSE = 30_000

const issuesAreFew = (trace: Trace): Finding | null => {
  let count = 0
  let lastAt = Number.NEGATIVE_INFINITY
  return firstOf('step', (each) => {
    const messages = each.step.effects.filter(
      (effect) => effect.type === 'do' && effect.payload.kind === 'sms',
    ).length
    if (messages > 1) return `One step sends ${messages} codes.`
    if (messages === 0) return null
    if (each.step.journal.some(({ event }) => event === 'code.submitted'))
      return 'A form that carries a code has one sent.'
    count += 1
    if (count > ISSUES_MAX) return `A code is issued for the ${count}th time.`
    if (each.at < lastAt + PAUSE)
      return `A code is issued ${(each.at - lastAt) / 1000} s after the one before.`
    lastAt = each.at
    return null
  })(trace)
}

const rightCodeSendsNone = (trace: Trace): Finding | null => {
  const { entries } = trace
  for (const { index, code, isSame } of gates(trace)) {
    if (!isSame || !isFiveDigits(code)) continue
    const until = entries.findIndex(
      (each, place) => place > index && (each.part === 'submission' || each.part === 'clock'),
    )
    const messageAt = entries.findIndex((each, place) => place > index && each.part === 'message')
    if (messageAt >= 0 && (until < 0 || messageAt < until))
      return findingAt(messageAt, 'A form that carried a code had one sent.')
  }
  return null
}

const oneMessageOneUse = (trace: Trace): Finding | null => {
  const used = new Set<number>()
  for (const gate of gates(trace)) {
    if (!isPassed(gate) || gate.lastMessage === null) continue
    if (used.has(gate.lastMessage.index))
      return findingAt(gate.index, 'A code led through the gate a second time.')
    used.add(gate.lastMessage.index)
  }
  return null
}

const codesStaySecret = ({ entries, rules }: Trace): Finding | null => {
  const codes = new Set(entries.flatMap((each) => (each.part === 'message' ? [each.code] : [])))
  if (rules.masterCode !== null) codes.delete(rules.masterCode)
  if (codes.size === 0) return null
  const holds = (text: string): boolean =>
    [...text.matchAll(/[0-9A-Za-z]+/g)].some(([word]) => /^\d{5}$/.test(word) && codes.has(word))
  for (const [index, each] of entries.entries()) {
    const text =
      each.part === 'submission' || each.part === 'poll'
        ? JSON.stringify(each.answer.body)
        : each.part === 'request'
          ? decodeURIComponent(
              each.body.replaceAll('+', ' ').replace(/%(?![0-9A-Fa-f]{2})/g, '%25'),
            )
          : each.part === 'line'
            ? `${each.detail}`
            : ''
    if (holds(text)) return findingAt(index, `A code that was sent appears in a ${each.part}.`)
  }
  return null
}

export const oneSendOneUse: Invariant = {
  number: 11,
  name: 'one send, one use',
  section: 'Contract §4, OTP',
  clauses: [
    {
      claim:
        'a code is issued by one message at most three times an order, thirty seconds apart, never by a form with a code',
      needs: ['step'],
      check: issuesAreFew,
    },
    {
      claim: 'a form that carries a code sends none',
      needs: ['submission', 'message', 'line', 'instant'],
      check: rightCodeSendsNone,
    },
    {
      claim: 'a code leads on at most once',
      needs: ['submission', 'message', 'line'],
      check: oneMessageOneUse,
    },
    {
      claim: 'no answer, no webhook and no line of the history holds a code',
      needs: ['submission', 'poll', 'message'],
      check: codesStaySecret,
    },
  ],
}
