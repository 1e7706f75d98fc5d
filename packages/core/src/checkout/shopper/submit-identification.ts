// The shopper submits the identification form here, and the frontend learns its next action.
// Interface §4.1, contract §4.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { modelOf, type Terms } from '../../order/model.ts'
import { identificationAction, waitAction } from '../../order/next-action.ts'
import type { Order, SubmissionEvent } from '../../order/order.ts'
import { submissionEvent } from '../../order/person.ts'
import { accepts, type InternalError, type Step, step, unchanged } from '../../order/step.ts'
import type { StepInput } from '../../order/terms.ts'
import type { CodeToSend } from '../../ports/order-store.ts'
import { type OrderNotFound, toUnavailable, type Unavailable } from '../../ports/store-errors.ts'
import type { IdentificationAction, WaitAction } from '../../protocol/action.ts'
import { dayIn } from '../../protocol/day.ts'
import {
  decodeIdentification,
  type FieldErrors,
  type SubmittedForm,
} from '../../protocol/identification-form.ts'
import { comparablePhone } from '../../protocol/phone-number.ts'
import { type Host, type StepError, stepInputOf } from '../host.ts'

const WRONG_CODE: FieldErrors = { validation_code: 'invalid' }
const WRONG_PHONE: FieldErrors = { mobile_phone: 'invalid' }

const showForm = (errors: FieldErrors): IdentificationAction => ({
  action: 'show_identification_form',
  errors,
})

/** A step of an order, what to answer once it is stored, and the code that it sends. */
export type SubmissionStep = {
  readonly step: Step
  readonly answer: IdentificationAction
  readonly code?: CodeToSend<IdentificationAction> | undefined
}

// Not every merchant asks for a phone.
const codeIn = ({ effects }: Step): SubmissionStep['code'] => {
  const [number = ''] = effects.flatMap((effect) =>
    effect.type === 'do' && effect.payload.kind === 'sms' ? comparablePhone(effect.payload.to) : [],
  )
  return number === '' ? undefined : { number, refusal: showForm(WRONG_PHONE) }
}

/**
 * Which event the form is, for an order as it is now. Left: the wrong fields. `at`: epoch
 * milliseconds; the merchant's day decides about birth dates.
 *
 * @example
 * ```ts
 * const event = readSubmission(terms)(order, form, Date.now())
 * if (event._tag === 'Right') console.log(event.right.type) // person.submitted
 * ```
 */
export const readSubmission =
  (terms: Terms) =>
  (order: Order, form: SubmittedForm, at: number): E.Either<FieldErrors, SubmissionEvent> => {
    const { merchant, total, currency } = order.placed
    return pipe(
      decodeIdentification(form, {
        ...merchant,
        privacyField: terms.names.privacyField,
        total,
        currency,
        today: dayIn(merchant.country, at),
        catalogue: modelOf(terms).products,
      }),
      E.map((identification) =>
        submissionEvent(order, identification, (event) => accepts(terms)(order, event, at)),
      ),
    )
  }

/**
 * What `submitIdentification` does to an order, without a store: the step, and the action for the
 * frontend. Wrong fields make no step: the order stays as it is.
 *
 * @example
 * ```ts
 * const submitted = submissionStep(terms)(order, form, { at, random, referenceIsTaken: false })
 * if (submitted._tag === 'Right') console.log(submitted.right.answer.action)
 * ```
 */
export const submissionStep =
  (terms: Terms) =>
  (
    order: Order,
    form: SubmittedForm,
    stepInput: StepInput,
  ): E.Either<InternalError, SubmissionStep> => {
    const { at, ...stepValues } = stepInput
    const event = readSubmission(terms)(order, form, at)
    if (E.isLeft(event)) return E.right({ step: unchanged(order), answer: showForm(event.left) })
    const day = dayIn(order.placed.merchant.country, at)
    const next = step(terms)(order, event.right, { at, day, ...stepValues })
    if (E.isLeft(next)) return next
    const after = next.right.order
    // A right code leads on. A wrong one leaves the checkout in its state.
    const codeIsWrong =
      event.right.type === 'code.submitted' && after.state.checkout === order.state.checkout
    const answer = codeIsWrong ? showForm(WRONG_CODE) : identificationAction(after, terms, at)
    return E.right({ step: next.right, answer, code: codeIn(next.right) })
  }

/**
 * Takes the shopper's form, and returns the action for the frontend. Checks the fields first, in
 * every state. Wrong fields are an action too, and change nothing. Interface §4.1.
 *
 * @example
 * ```ts
 * const answer = await submitIdentification(host)(orderRef, { ...form, validation_code: '24680' })()
 * if (answer._tag === 'Right') console.log(answer.right.action)
 * ```
 */
export const submitIdentification =
  (host: Host) =>
  (orderRef: string, form: SubmittedForm): TE.TaskEither<StepError, IdentificationAction> =>
    host.store.step(orderRef, (order, referenceIsTaken) =>
      submissionStep(host.terms)(order, form, stepInputOf(host, order, referenceIsTaken)),
    )

/**
 * Returns the order's current wait action, for which the frontend polls. It only reads, so it may
 * be called any number of times. Interface §4.2.
 *
 * @example
 * ```ts
 * const answer = await awaitOutcome(host)(orderRef)()
 * if (answer._tag === 'Right') console.log(answer.right.action) // wait_for_screening
 * ```
 */
export const awaitOutcome =
  ({ store, clock, terms }: Host) =>
  (orderRef: string): TE.TaskEither<OrderNotFound | Unavailable, WaitAction> =>
    pipe(
      store.read(orderRef),
      // An order in a state of another model has no action here. Another node may know it.
      TE.chainEitherKW((order) =>
        E.tryCatch(() => waitAction(order, terms, clock.now()), toUnavailable),
      ),
    )
