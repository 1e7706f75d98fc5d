// The sandbox's own pages in place of a provider's speak the shopper's language, like the checkout
// around them. The browser and the server share these texts.
import type { Language } from '@plazo/core/protocol'

const en = {
  needsScript: 'This form needs JavaScript. Please turn it on.',
  card: {
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
    },
    declined: 'The card was declined.',
    failed: 'The payment could not be made.',
    locked:
      'You cannot pay here, because the shop shows this form in a locked frame. Please tell the shop.',
  },
  bank: {
    title: 'Your bank needs to confirm it’s you',
    text: 'The sandbox plays your bank.',
    yes: 'Yes, pay',
    no: 'No',
  },
  session: {
    title: 'Verify your identity',
    text: 'The sandbox plays the identity service. Choose how the verification ends.',
    VERIFIED: 'Verified',
    FAILED: 'Not verified',
    ERROR: 'Interrupted',
    thanks: 'Thank you',
    ended: 'This verification has ended',
    back: 'Close this tab and go back to your order. It continues there.',
  },
}

export type SandboxTexts = typeof en

const es: SandboxTexts = {
  needsScript: 'Este formulario necesita JavaScript. Actívalo.',
  card: {
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
    },
    declined: 'La tarjeta ha sido rechazada.',
    failed: 'No se ha podido hacer el pago.',
    locked:
      'Aquí no puedes pagar, porque la tienda muestra este formulario en un marco bloqueado. Avisa a la tienda.',
  },
  bank: {
    title: 'Tu banco quiere confirmar que eres tú',
    text: 'El sandbox hace de banco.',
    yes: 'Sí, pagar',
    no: 'No',
  },
  session: {
    title: 'Verifica tu identidad',
    text: 'El sandbox hace de servicio de identidad. Elige cómo termina la verificación.',
    VERIFIED: 'Verificada',
    FAILED: 'No verificada',
    ERROR: 'Interrumpida',
    thanks: 'Gracias',
    ended: 'Esta verificación ha terminado',
    back: 'Cierra esta pestaña y vuelve a tu pedido. Continúa allí.',
  },
}

export const SANDBOX_TEXTS: { readonly [language in Language]: SandboxTexts } = { en, es }
