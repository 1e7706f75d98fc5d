// If a name, an enum value or a limit on the wire changes, merchants' code breaks. This test fixes all shapes of the contract.
// In wire-shapes.txt `?` marks a member that may be absent, `+` an object that may have others, `*` any name.
import { readFileSync } from 'node:fs'
import type * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import {
  CheckoutMetadata,
  IdentificationAction,
  IdVerificationStatus,
  MoneyCodec,
  OfferedAgreement,
  ReusableCard,
  WaitAction,
} from './action.ts'
import { CancelAnswerBody } from './cancel-answer.ts'
import { DeliveryView, ExamplePayload, ExampleView, RecoverPayload, RecoveryView, ResendView } from './delivery-view.ts'
import { identificationForm } from './identification-form.ts'
import { type JsonSchema, reflector } from './json-schema.ts'
import { ConfirmOrderPayload, PlaceOrderPayload, UpdateOrderPayload } from './order-codecs.ts'
import { History, OrderView } from './order-view.ts'
import { Credentials, PaymentMethods } from './payment-methods.ts'
import { Alive, OrderRefusal, Problem, Ready } from './problem.ts'
import { CancelAdvice, PaymentOutcome, RiskResult, ScreeningResult, SessionResult } from './provider-answer.ts'
import { CallbackBody, CallbackView } from './provider-callback.ts'
import {
  Advanced,
  AdvancePayload,
  CardForm,
  ChallengeForm,
  ClockView,
  cardMessage,
  DemoOrderPayload,
  DemoOrderPlaced,
  SavedCardForm,
  SessionForm,
  SessionView,
  SmsSent,
  StateRunPayload,
  StateRunProgress,
  Timeline,
  TriggerCatalogue,
} from './sandbox.ts'
import { DrillPayload, Drills, ForwardedAnswer, ForwardedDelivery, Inbox } from './sandbox-webhooks.ts'
import { ActionEvent, CancelForm, CancelledForm, DeniedForm, ipnForm, RiskAssessmentForm } from './webhook-event.ts'

const BASE = '#/'

type Members = Readonly<Record<string, JsonSchema>>

const numberText = ({ type, minimum, maximum }: JsonSchema): string => {
  const least = minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? '' : ` from ${minimum}`
  const most = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? '' : ` to ${maximum}`
  return `${type}${least}${most}`
}

const objectText = ({ properties = {}, required = [], additionalProperties, patternProperties = {} }: JsonSchema) => {
  const members = Object.entries(properties as Members).map(
    ([name, member]) => `${name}${(required as readonly string[]).includes(name) ? '' : '?'}: ${text(member)}`,
  )
  const patterns = Object.entries(patternProperties as Members).map(([name, member]) => `${name}: ${text(member)}`)
  const others =
    additionalProperties === false
      ? []
      : [additionalProperties === undefined ? '+' : `*: ${text(additionalProperties as JsonSchema)}`]
  return `{ ${[...members, ...patterns, ...others].join(', ')} }`
}

const text = (schema: JsonSchema): string => {
  const { $ref, oneOf, anyOf, allOf, type, const: constant, enum: words, items, maxItems, pattern, format } = schema
  if (typeof $ref === 'string') return $ref.slice(BASE.length)
  if (oneOf !== undefined || anyOf !== undefined)
    return ((oneOf ?? anyOf) as readonly JsonSchema[]).map(text).join(oneOf === undefined ? ' or ' : '\n  ')
  if (allOf !== undefined) return (allOf as readonly JsonSchema[]).map(text).join(' and\n  ')
  if (constant !== undefined) return JSON.stringify(constant)
  if (words !== undefined) return (words as readonly string[]).join('/')
  if (type === 'object') return objectText(schema)
  if (type === 'array') return maxItems === 0 ? '[]' : `[${text(items as JsonSchema)}]`
  if (type === 'integer' || type === 'number') return numberText(schema)
  if (pattern !== undefined) return String(pattern)
  return String(format ?? type ?? 'anything')
}

const CODECS: Readonly<Record<string, t.Mixed>> = {
  ActionEvent,
  IdentificationAction,
  IdVerificationStatus,
  MoneyCodec,
  OfferedAgreement,
  ReusableCard,
  WaitAction,
  CancelAnswerBody,
  CardForm,
  cardMessage: cardMessage('Service'),
  ChallengeForm,
  SavedCardForm,
  SessionForm,
  SessionView,
  CheckoutMetadata,
  Credentials,
  DeliveryView,
  ExamplePayload,
  ExampleView,
  RecoverPayload,
  RecoveryView,
  ResendView,
  Alive,
  Ready,
  identificationForm: identificationForm('service_privacy_policy_accepted', null),
  spanishIdentificationForm: identificationForm('service_privacy_policy_accepted', 'ES'),
  ipnForm: ipnForm('sq_state'),
  CancelForm,
  CancelledForm,
  DeniedForm,
  RiskAssessmentForm,
  ConfirmOrderPayload,
  PlaceOrderPayload,
  UpdateOrderPayload,
  History,
  OrderView,
  PaymentMethods,
  OrderRefusal,
  Problem,
  CancelAdvice,
  PaymentOutcome,
  RiskResult,
  ScreeningResult,
  SessionResult,
  CallbackBody,
  CallbackView,
  Advanced,
  AdvancePayload,
  ClockView,
  SmsSent,
  TriggerCatalogue,
  DemoOrderPayload,
  DemoOrderPlaced,
  StateRunPayload,
  StateRunProgress,
  Timeline,
  DrillPayload,
  Drills,
  ForwardedAnswer,
  ForwardedDelivery,
  Inbox,
}

const listSchemas = (): readonly (readonly [name: string, schema: JsonSchema])[] => {
  const { schemaOf, components } = reflector(BASE)
  const own = Object.entries(CODECS).map(([name, codec]) => [name, schemaOf(codec)] as const)
  return [...own, ...Object.entries(components())]
}

const shapeOf = ([name, schema]: readonly [string, JsonSchema]): string => `${name}\n  ${text(schema)}\n`

const savedShapes = readFileSync(new URL('./wire-shapes.txt', import.meta.url), 'utf8')

/** All values found anywhere in a schema. */
const saidIn = (schema: unknown): readonly unknown[] =>
  typeof schema !== 'object' || schema === null
    ? []
    : Object.entries(schema).flatMap(([name, member]) =>
        name === 'description' && typeof member !== 'object' ? [member] : saidIn(member),
      )

describe('the shapes on the wire', () => {
  it('have not changed', () => {
    expect(listSchemas().map(shapeOf).join('\n')).toBe(savedShapes)
  })

  it('have a description wherever the document needs one', () => {
    for (const words of listSchemas().flatMap(saidIn)) expect(words).toMatch(/^\S.*\S$/)
  })
})
