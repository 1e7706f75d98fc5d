// Texts that a shopper reads about their order, in an SMS or in their frontend. The shop names
// their language; languageOf chooses one of these. Contract §3.
import { type Language, languageOf, type Money } from '../protocol/language.ts'
import type { Order } from './order.ts'

const en = {
  code: (code: string) => `Your code is ${code}.`,
  /** The law requires these words on the button that binds, Directive 2011/83/EU, Article 8(2). */
  orderButton: (today: Money, total: Money) =>
    today.value === 0
      ? `Order with obligation to pay ${total.string} later`
      : `Order with obligation to pay ${today.string} today`,
  failures: {
    codes: 'Too many codes were requested. Please start a new order.',
    screening_error: 'The order could not be processed. Please choose another payment method.',
    screening_expired:
      'The order could not be processed in time. Please choose another payment method.',
    identity: 'Your identity could not be verified. Please choose another payment method.',
    payment: 'The payment failed. Please choose another payment method.',
    confirmation:
      'The shop did not confirm the order. If you have paid, you will get your money back.',
    expired:
      'The order was not confirmed in time. Please start a new one. If you have paid, you will get your money back.',
    conflicted:
      'The shop could not accept the order. If you have paid, you will get your money back.',
  },
  identity: {
    STARTED: 'Please verify your identity.',
    VERIFIED: 'Your identity has been verified.',
    FAILED: 'Your identity could not be verified.',
    ERROR: 'The verification was interrupted. Please try again.',
  },
  alternative: {
    title: 'Choose another way to pay',
    message: 'The plan you chose is not available. You can choose:',
  },
}

const es: typeof en = {
  code: (code) => `Tu código es ${code}.`,
  orderButton: (today, total) =>
    today.value === 0
      ? `Confirmo el pedido con obligación de pago: ${total.string} más adelante`
      : `Confirmo el pedido con obligación de pago: ${today.string} hoy`,
  failures: {
    codes: 'Has pedido demasiados códigos. Haz un pedido nuevo.',
    screening_error: 'No se ha podido tramitar el pedido. Elige otra forma de pago.',
    screening_expired: 'No se ha podido tramitar el pedido a tiempo. Elige otra forma de pago.',
    identity: 'No se ha podido verificar tu identidad. Elige otra forma de pago.',
    payment: 'El pago ha fallado. Elige otra forma de pago.',
    confirmation: 'La tienda no ha confirmado el pedido. Si has pagado, te devolvemos el dinero.',
    expired:
      'El pedido no se ha confirmado a tiempo. Haz uno nuevo. Si has pagado, te devolvemos el dinero.',
    conflicted: 'La tienda no ha podido aceptar el pedido. Si has pagado, te devolvemos el dinero.',
  },
  identity: {
    STARTED: 'Verifica tu identidad.',
    VERIFIED: 'Tu identidad está verificada.',
    FAILED: 'No se ha podido verificar tu identidad.',
    ERROR: 'La verificación se ha interrumpido. Inténtalo otra vez.',
  },
  alternative: {
    title: 'Elige otra forma de pago',
    message: 'El plan que has elegido no está disponible. Puedes elegir:',
  },
}

const TEXTS: { readonly [language in Language]: typeof en } = { en, es }

export const textsFor = ({ placed }: Pick<Order, 'placed'>): typeof en =>
  TEXTS[languageOf(placed.language)]
