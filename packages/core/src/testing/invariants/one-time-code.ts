// The rules of the one-time code: which code is accepted, how often, and where a code may be
// visible. Contract §4, OTP.

import { isSamePerson } from '../../order/person.ts'
import type { Person } from '../../protocol/identification-form.ts'
import {
  entriesOf,
  type FormSubmission,
  type SmsMessage,
  type Trace,
  type TraceEntry,
} from '../trace/trace.ts'
import { actionOf, fieldsOf, isValidForm } from '../trace/trace-queries.ts'
import { type Finding, findingAt, firstEntry, firstOf, type Invariant } from './invariant.ts'

/** A form submitted while the order asks for a code. */
type CodeSubmission = {
  readonly index: number
  readonly submission: FormSubmission
  readonly code: unknown
  readonly isSame: boolean
  /** The last message that was sent to this person before the form, with its index. */
  readonly lastMessage: { readonly index: number; readonly message: SmsMessage } | null
}

const GATE = 'verifying_phone'
const STAYS = ['show_identification_form', 'require_validate_otp', 'show_error']

/** Forms submitted while a code was asked for. A form's own lines come before it in the trace. */
const gates = ({ entries, placed }: Trace): readonly CodeSubmission[] => {
  let person: Person | null = null
  let lastMessage: CodeSubmission['lastMessage'] = null
  let state = 'identifying'
  let stateBeforeOwnLines = state
  const found: CodeSubmission[] = []
  for (const [index, each] of entries.entries()) {
    if (each.part === 'line') state = each.to.checkout
    if (each.part === 'line' || each.part === 'step') continue
    if (each.part === 'message') lastMessage = { index, message: each }
    if (each.part === 'submission' && isValidForm(each)) {
      const submitter = each.body as unknown as Person
      const isSame = person !== null && isSamePerson(person, submitter, placed.merchant.country)
      const code = each.body.validation_code
      if (stateBeforeOwnLines === GATE)
        found.push({ index, submission: each, code, isSame, lastMessage })
      // The codes of another person are void.
      if (person !== null && !isSame) lastMessage = null
      person = submitter
    }
    stateBeforeOwnLines = state
  }
  return found
}

/** Judges every form that was submitted while a code was asked for. */
const firstGate =
  (judge: (gate: CodeSubmission, trace: Trace) => string | null) =>
  (trace: Trace): Finding | null => {
    for (const gate of gates(trace)) {
      const sentence = judge(gate, trace)
      if (sentence !== null) return findingAt(gate.index, sentence)
    }
    return null
  }

const isFiveDigits = (code: unknown): code is string =>
  typeof code === 'string' && /^\d{5}$/.test(code)

const isPassed = ({ submission }: CodeSubmission): boolean => !STAYS.includes(actionOf(submission))

const isRight = ({ rules }: Trace, { code, lastMessage, submission }: CodeSubmission): boolean =>
  isFiveDigits(code) &&
  lastMessage !== null &&
  (code === lastMessage.message.code || code === rules.masterCode) &&
  submission.at < lastMessage.message.at + rules.otpLifetime

const onlyRightCodePasses = firstGate((gate, trace) => {
  if (!isPassed(gate)) return null
  const action = actionOf(gate.submission)
  if (!gate.isSame) return `Another person was led through the gate to ${action}.`
  return isRight(trace, gate)
    ? null
    : `The code ${JSON.stringify(gate.code)} led to ${action}; it is not the last one sent, or too old.`
})

const WRONG_CODES_MAX = 5

const rightCodePasses = (trace: Trace): Finding | null => {
  let wrong = 0
  let counted: number | undefined
  return firstGate((gate) => {
    if (gate.lastMessage?.index !== counted) wrong = 0
    counted = gate.lastMessage?.index
    if (!gate.isSame) return null
    if (isRight(trace, gate) && wrong < WRONG_CODES_MAX && !isPassed(gate))
      return `The right code was answered ${actionOf(gate.submission)}.`
    if (isFiveDigits(gate.code) && !isPassed(gate)) wrong += 1
    return null
  })(trace)
}

const wrongCodeIsNamed = firstGate((gate) => {
  if (!gate.isSame || isPassed(gate) || gate.code === undefined || gate.code === null) return null
  const { action, errors } = fieldsOf(gate.submission.answer.body)
  return action !== 'show_identification_form' || fieldsOf(errors).validation_code !== 'invalid'
    ? `A wrong code was answered ${String(action)} ${JSON.stringify(errors)}.`
    : null
})

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

const oneMessageOneUse = (trace: Trace): Finding | null => {
  const used = new Set<number>()
  return firstGate((gate) => {
    if (!isPassed(gate) || gate.lastMessage === null) return null
    if (used.has(gate.lastMessage.index)) return 'A code led through the gate a second time.'
    used.add(gate.lastMessage.index)
    return null
  })(trace)
}

const textOf = (each: TraceEntry): string => {
  if (each.part === 'submission' || each.part === 'poll') return JSON.stringify(each.answer.body)
  if (each.part === 'line') return `${each.detail}`
  return each.part === 'request'
    ? decodeURIComponent(each.body.replaceAll('+', ' ').replace(/%(?![0-9A-Fa-f]{2})/g, '%25'))
    : ''
}

const codesStaySecret = (trace: Trace): Finding | null => {
  const codes = new Set(entriesOf(trace, 'message').map(({ code }) => code))
  codes.delete(trace.rules.masterCode ?? '')
  return firstEntry((each) => {
    const words = textOf(each).match(/[0-9A-Za-z]+/g) ?? []
    return words.some((word) => isFiveDigits(word) && codes.has(word))
      ? `A code that was sent appears in a ${each.part}.`
      : null
  })(trace)
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
