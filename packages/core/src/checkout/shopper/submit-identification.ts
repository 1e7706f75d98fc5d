// The shopper submits the identification form here, and the frontend learns its next action.
// Interface §4.1, contract §4.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { modelOf } from '../../order/model.ts'
import { identificationAction, waitAction } from '../../order/next-action.ts'
import { isMalformedCode, submissionEvent } from '../../order/person.ts'
import { step, unchanged } from '../../order/step.ts'
import type { OrderNotFound } from '../../ports/order-store.ts'
import { toUnavailable, type Unavailable } from '../../ports/unavailable.ts'
import type { IdentificationAction, WaitAction } from '../../protocol/action.ts'
import { dayIn } from '../../protocol/day.ts'
import { decodeIdentification, type FieldErrors } from '../../protocol/identification-form.ts'
import { type Host, type StepError, stepInputOf } from '../host.ts'

const showForm = (errors: FieldErrors): IdentificationAction => ({
  action: 'show_identification_form',
  errors,
})

/** Checks the fields first, in every state. A refused submission changes nothing. */
export const submitIdentification =
  (host: Host) =>
  (orderRef: string, body: unknown): TE.TaskEither<StepError, IdentificationAction> =>
    host.store.step(orderRef, (order, referenceIsTaken) => {
      const { merchant, total, currency } = order.placed
      const { at, ...stepValues } = stepInputOf(host, referenceIsTaken)
      const day = dayIn(merchant.country, at)
      const stepInput = { at, day, ...stepValues }
      const { privacyField } = host.terms.names
      const identification = decodeIdentification(body, {
        ...merchant,
        privacyField,
        total,
        currency,
        today: day,
        catalogue: modelOf(host.terms).products,
      })
      if (E.isLeft(identification))
        return E.right({ step: unchanged(order), answer: showForm(identification.left) })
      if (isMalformedCode(order, identification.right))
        return E.right({ step: unchanged(order), answer: showForm({ validation_code: 'invalid' }) })

      const event = submissionEvent(order, identification.right)
      const next = step(host.terms)(order, event, stepInput)
      if (E.isLeft(next)) return next
      const after = next.right.order
      // A right code leaves this state. If the order still asks for a code, the submitted one was
      // wrong.
      const codeIsWrong =
        event.type === 'code.submitted' && after.state.checkout === 'verifyingPhone'
      return E.right({
        step: next.right,
        answer: codeIsWrong
          ? showForm({ validation_code: 'invalid' })
          : identificationAction(after, host.terms, at),
      })
    })

/**
 * Returns the order's current wait action, for which the frontend polls. It only reads, so it may
 * be called any number of times. Interface §4.2.
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
