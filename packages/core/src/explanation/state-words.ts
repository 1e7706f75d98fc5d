// @plazo/core/state-words: the states of an order in words. Browsers import it too, so it imports only types.
//
// ```ts
// import { STATE_WORDS } from '@plazo/core/state-words'
//
// console.log(STATE_WORDS.checkout.paying[0]) // waiting for the card payment
// ```
import type { BundledState, Region } from '../order/order.ts'

/** In the order of `LANGUAGES`. */
export type Words = readonly [en: string, es: string]

/** A new state does not compile without words. A host may ask for a state of its own, which has none. */
type States<Name extends string> = { readonly [name in Name]: Words } & {
  readonly [other in string]?: Words
}

/** `verifyingIdentity`: the states of the ID check by the name on the wire, which they share. */
export const STATE_WORDS: { readonly [region in Region]: States<BundledState[region]> } = {
  checkout: {
    identifying: ['waiting for the shopper’s details', 'a la espera de los datos del comprador'],
    verifyingPhone: ['waiting for the SMS code', 'a la espera del código SMS'],
    screening: ['being screened', 'en análisis'],
    screened: ['screened', 'analizado'],
    verifyingIdentity: ['ID check', 'verificación de identidad'],
    started: ['ID check', 'verificación de identidad'],
    verified: ['ID verified', 'identidad verificada'],
    unverified: ['ID not verified', 'identidad no verificada'],
    errored: ['ID check broken off', 'verificación de identidad interrumpida'],
    choosingAlternative: ['another plan is offered', 'se ofrece otro plan'],
    paying: ['waiting for the card payment', 'a la espera del pago con tarjeta'],
    confirming: ['waiting for the shop to confirm', 'a la espera de que la tienda confirme'],
    holding: ['waiting for the shop to hold the order', 'a la espera de que la tienda lo retenga'],
    reviewing: ['on hold', 'retenido'],
    confirmed: ['confirmed', 'confirmado'],
    rejected: ['denied', 'denegado'],
    cancelled: ['rejected by the operator', 'rechazado por el operador'],
    conflicted: ['refused by the shop', 'rechazado por la tienda'],
    failed: ['failed', 'fallido'],
    expired: ['expired', 'caducado'],
  },
  risk: {
    unassessed: ['risk not assessed', 'riesgo sin evaluar'],
    assessing: ['risk being assessed', 'riesgo en evaluación'],
    lowRisk: ['low risk', 'riesgo bajo'],
    highRisk: ['high risk', 'riesgo alto'],
    underEvaluation: ['risk under evaluation', 'riesgo en estudio'],
  },
  cancellation: {
    none: ['no cancellation', 'sin cancelación'],
    scheduled: ['cancel request scheduled', 'cancelación programada'],
    asking: ['asking the shop to cancel', 'preguntando a la tienda por la cancelación'],
    waiting: ['asking the shop again later', 'se preguntará otra vez a la tienda'],
    cancelled: ['cancelled', 'cancelado'],
    tooLate: ['too late to cancel', 'demasiado tarde para cancelar'],
    unsupported: ['the shop cannot cancel', 'la tienda no puede cancelar'],
    unanswered: ['cancel request not answered', 'cancelación sin respuesta'],
  },
}
