// The card form speaks the shopper's language, like the checkout around it. The browser and the
// server share these texts.
import type { Language } from '@plazo/core/protocol'

const en = {
  needsScript: 'This form needs JavaScript. Please turn it on.',
  title: 'Pay by card',
  number: 'Card number',
  expiry: 'Expiry',
  expiryHint: 'MM/YY',
  cvc: 'CVC',
  cvcHint: 'Three or four digits',
  save: 'Save this card for later orders',
  saved: 'Card ending in {digits}',
  paying: 'Paying…',
  paid: 'Paid.',
  check: 'Please check the card details.',
  wrong: {
    number: 'Enter the 13 to 19 digits on the card.',
    expiry: 'Enter month and year, for example 12/39.',
    cvc: 'Enter three or four digits.',
    digits: 'Check the card number. One of its digits is wrong.',
    expired: 'This card has expired. Check the date, or use another card.',
  },
  declined: 'The card was declined.',
  failed: 'The payment could not be made.',
  locked:
    'You cannot pay here, because the shop shows this form in a locked frame. Please tell the shop.',
}

export type CardTexts = typeof en

const es: CardTexts = {
  needsScript: 'Este formulario necesita JavaScript. Actívalo.',
  title: 'Paga con tarjeta',
  number: 'Número de tarjeta',
  expiry: 'Caducidad',
  expiryHint: 'MM/AA',
  cvc: 'CVC',
  cvcHint: 'Tres o cuatro cifras',
  save: 'Guardar esta tarjeta para otros pedidos',
  saved: 'Tarjeta terminada en {digits}',
  paying: 'Pagando…',
  paid: 'Pagado.',
  check: 'Revisa los datos de la tarjeta.',
  wrong: {
    number: 'Escribe las 13 a 19 cifras de la tarjeta.',
    expiry: 'Escribe mes y año, por ejemplo 12/39.',
    cvc: 'Escribe tres o cuatro cifras.',
    digits: 'Revisa el número de la tarjeta. Alguna cifra no es correcta.',
    expired: 'Esta tarjeta ha caducado. Revisa la fecha o usa otra.',
  },
  declined: 'La tarjeta ha sido rechazada.',
  failed: 'No se ha podido hacer el pago.',
  locked:
    'Aquí no puedes pagar, porque la tienda muestra este formulario en un marco bloqueado. Avisa a la tienda.',
}

export const CARD_TEXTS: { readonly [language in Language]: CardTexts } = { en, es }
