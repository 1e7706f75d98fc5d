// The texts of the hosted form, in each language that has texts.
import type { Language, PersonField } from '@plazo/core'

type FieldText = { readonly label: string; readonly hint?: string; readonly wrong: string }

export type FormTexts = {
  readonly title: string
  readonly total: string
  readonly needsScript: string
  readonly optional: string
  readonly fields: { readonly [field in PersonField]: FieldText }
  readonly spanishNin: FieldText
  readonly birth: { readonly legend: string; readonly hint: string }
  /** The link to the policy is between the two. */
  readonly privacy: { readonly before: string; readonly link: string; readonly after: string; readonly wrong: string }
  readonly plans: {
    readonly legend: string
    readonly wrong: string
    /** `{today}`, `{others}`, `{each}`, `{cost}` and `{total}` are filled in. */
    readonly later: string
    readonly now: string
    readonly inParts: string
  }
  readonly send: string
  readonly code: {
    readonly title: string
    readonly text: string
    readonly label: string
    readonly wrong: string
    readonly send: string
    readonly again: string
    readonly back: string
  }
  readonly wait: { readonly title: string; readonly text: string }
  readonly verify: { readonly title: string; readonly link: string; readonly failed: string; readonly again: string }
  readonly alternative: { readonly title: string; readonly legend: string; readonly send: string }
  readonly pay: {
    readonly title: string
    readonly amount: string
    readonly frame: string
    /** `{pan}` and `{expiry}` are filled in. */
    readonly saved: string
    readonly other: string
    readonly failed: string
  }
  readonly ends: { readonly [end in EndName]: { readonly title: string; readonly text: string } }
  readonly back: string
  readonly troubles: { readonly fields: string; readonly sending: string; readonly tooMany: string }
}

export const END_NAMES = ['finish', 'hold', 'conflict', 'reject', 'error'] as const
type EndName = (typeof END_NAMES)[number]

const en: FormTexts = {
  title: 'Your details',
  total: 'Total of your order:',
  needsScript: 'This page needs JavaScript. Please turn it on, or choose another payment method.',
  optional: '(optional)',
  fields: {
    given_names: { label: 'Given names', wrong: 'Please enter your given names.' },
    surnames: { label: 'Surnames', hint: 'Both surnames', wrong: 'Please enter both of your surnames.' },
    dob_day: { label: 'Day', wrong: 'Enter the day as two digits, for example 02.' },
    dob_month: { label: 'Month', wrong: 'Enter the month as two digits, from 01 to 12.' },
    dob_year: { label: 'Year', wrong: 'Enter the year as four digits. You must be 18 or older.' },
    mobile_phone: {
      label: 'Mobile phone',
      hint: 'We will send you a code',
      wrong: 'Please enter a mobile phone number.',
    },
    nin: {
      label: 'Identity number',
      hint: 'As shown on your identity card',
      wrong: 'Please check the identity number.',
    },
    address: { label: 'Address', wrong: 'Please enter your address.' },
    postal_code: { label: 'Postal code', wrong: 'Please check the postal code.' },
    city: { label: 'City', wrong: 'Please enter your city.' },
  },
  spanishNin: { label: 'DNI or NIE', hint: 'With its letter', wrong: 'Please check the DNI or NIE and its letter.' },
  birth: { legend: 'Date of birth', hint: 'For example 02 01 1980' },
  privacy: {
    before: 'I have read and accept the ',
    link: 'privacy policy',
    after: '.',
    wrong: 'Please accept the privacy policy to continue.',
  },
  plans: {
    legend: 'What you pay',
    wrong: 'This plan is no longer available. Please choose another.',
    later: 'Nothing today, {total} later',
    now: '{total} today',
    inParts: '{today} today, then {others} × {each}. Cost {cost}, {total} in all',
  },
  send: 'Continue',
  code: {
    title: 'Enter the code',
    text: 'We have sent a five-digit code to your mobile phone.',
    label: 'Code',
    wrong: 'The code is wrong or no longer valid.',
    send: 'Confirm',
    again: 'Send another code',
    back: 'Change my details',
  },
  wait: { title: 'One moment, please', text: 'This takes a few seconds. Please leave this page open.' },
  verify: {
    title: 'Verify your identity',
    link: 'Verify now (opens a new tab)',
    failed: 'Verification was interrupted.',
    again: 'Try again',
  },
  alternative: {
    title: 'Choose another way to pay',
    legend: 'The plan you chose is not available. You can choose:',
    send: 'Continue',
  },
  pay: {
    title: 'Pay by card',
    amount: 'To pay now:',
    frame: 'Card form',
    saved: 'Use the card {pan} ({expiry})',
    other: 'Use another card',
    failed: 'The payment failed. Please try again, or use another card.',
  },
  ends: {
    finish: { title: 'Your order is confirmed', text: 'We are taking you back to the shop.' },
    hold: { title: 'Your order is being reviewed', text: 'The shop will let you know the result.' },
    conflict: { title: 'The shop could not accept the order', text: 'Please go back to the shop and try again.' },
    reject: { title: 'This payment method is not available', text: 'Please choose another one in the shop.' },
    error: { title: 'Something went wrong', text: 'Please go back to the shop.' },
  },
  back: 'Back to the shop',
  troubles: {
    fields: 'Please check the marked fields.',
    sending: 'Your data could not be sent. Please try again.',
    tooMany: 'Too many attempts. Please wait a minute and try again.',
  },
}

const es: FormTexts = {
  title: 'Tus datos',
  total: 'Total de tu pedido:',
  needsScript: 'Esta página necesita JavaScript. Actívalo o elige otra forma de pago.',
  optional: '(opcional)',
  fields: {
    given_names: { label: 'Nombre', wrong: 'Escribe tu nombre.' },
    surnames: { label: 'Apellidos', hint: 'Los dos apellidos', wrong: 'Escribe tus dos apellidos.' },
    dob_day: { label: 'Día', wrong: 'Escribe el día con dos cifras, por ejemplo 02.' },
    dob_month: { label: 'Mes', wrong: 'Escribe el mes con dos cifras, de 01 a 12.' },
    dob_year: { label: 'Año', wrong: 'Escribe el año con cuatro cifras. Debes tener 18 años o más.' },
    mobile_phone: { label: 'Móvil', hint: 'Te enviaremos un código', wrong: 'Escribe un número de móvil.' },
    nin: {
      label: 'Número de identidad',
      hint: 'Como figura en tu documento',
      wrong: 'Revisa el número de identidad.',
    },
    address: { label: 'Dirección', wrong: 'Escribe tu dirección.' },
    postal_code: { label: 'Código postal', wrong: 'Revisa el código postal.' },
    city: { label: 'Población', wrong: 'Escribe tu población.' },
  },
  spanishNin: { label: 'DNI o NIE', hint: 'Con su letra', wrong: 'Revisa el DNI o NIE y su letra.' },
  birth: { legend: 'Fecha de nacimiento', hint: 'Por ejemplo, 02 01 1980' },
  privacy: {
    before: 'He leído y acepto la ',
    link: 'política de privacidad',
    after: '.',
    wrong: 'Acepta la política de privacidad para continuar.',
  },
  plans: {
    legend: 'Lo que pagas',
    wrong: 'Este plan ya no está disponible. Elige otro.',
    later: 'Nada hoy, {total} después',
    now: '{total} hoy',
    inParts: '{today} hoy y después {others} × {each}. Coste {cost}, {total} en total',
  },
  send: 'Continuar',
  code: {
    title: 'Escribe el código',
    text: 'Te hemos enviado un código de cinco cifras al móvil.',
    label: 'Código',
    wrong: 'El código no es correcto o ha caducado.',
    send: 'Confirmar',
    again: 'Enviar otro código',
    back: 'Cambiar mis datos',
  },
  wait: { title: 'Un momento, por favor', text: 'Tardará unos segundos. No cierres esta página.' },
  verify: {
    title: 'Verifica tu identidad',
    link: 'Verificar ahora (abre otra pestaña)',
    failed: 'La verificación se ha interrumpido.',
    again: 'Intentarlo otra vez',
  },
  alternative: {
    title: 'Elige otra forma de pago',
    legend: 'El plan que has elegido no está disponible. Puedes elegir:',
    send: 'Continuar',
  },
  pay: {
    title: 'Paga con tarjeta',
    amount: 'A pagar ahora:',
    frame: 'Formulario de tarjeta',
    saved: 'Usar la tarjeta {pan} ({expiry})',
    other: 'Usar otra tarjeta',
    failed: 'El pago ha fallado. Inténtalo otra vez o usa otra tarjeta.',
  },
  ends: {
    finish: { title: 'Tu pedido está confirmado', text: 'Te llevamos de vuelta a la tienda.' },
    hold: { title: 'Estamos revisando tu pedido', text: 'La tienda te dirá el resultado.' },
    conflict: { title: 'La tienda no ha podido aceptar el pedido', text: 'Vuelve a la tienda e inténtalo otra vez.' },
    reject: { title: 'Esta forma de pago no está disponible', text: 'Elige otra en la tienda.' },
    error: { title: 'Algo ha salido mal', text: 'Vuelve a la tienda.' },
  },
  back: 'Volver a la tienda',
  troubles: {
    fields: 'Revisa los campos marcados.',
    sending: 'No se han podido enviar tus datos. Inténtalo otra vez.',
    tooMany: 'Demasiados intentos. Espera un minuto e inténtalo otra vez.',
  },
}

export const FORM_TEXTS: { readonly [language in Language]: FormTexts } = { en, es }
