// The texts of the checkout in each language that has texts. The browser and the server's pages
// share this file, so that a shopper reads one language from the first step to the bank's page.
// Spanish says tú everywhere.
import type { Language } from '@plazo/core/protocol'

const en = {
  back: 'Back to the shop',
  opening: 'Opening the checkout…',
  needsScript:
    'This page needs JavaScript. Please turn it on, or go back to the shop and choose another payment method.',
  notStarted:
    'The checkout has not started. Your browser may be too old for it, or something blocks its script. Update the browser, or go back to the shop and choose another payment method.',
  cart: { title: 'Your order', total: 'Total', more: 'and {count} more' },
  plans: {
    title: 'What you pay',
    choose: 'Choose how you pay',
    parts: '{count} payments of {each}',
    later: '{total} in one payment',
    today: 'Today',
    dueToday: '{today} today',
    nothingToday: 'Nothing today',
    total: 'Total',
    cost: 'Cost',
    free: 'none',
    rate: 'Annual rate (APR)',
    wrong: 'This plan is no longer available. Please choose another.',
  },
  person: {
    title: 'Your details',
    about: 'About you',
    address: 'Your address',
    again:
      'The page was reloaded. Please enter your details again. For your safety, your browser does not store them.',
    send: 'Send me a code',
    sending: 'Sending…',
    optional: '(optional)',
    check: 'Please check the marked fields.',
    // `hint` is shown under the label, `wrong` in its place after a mistake.
    fields: {
      given_names: { label: 'Given names', wrong: 'Enter your given names.' },
      surnames: { label: 'Surnames', wrong: 'Enter your surnames.' },
      dob_day: { label: 'Day', wrong: 'Check the day. The month may have fewer days.' },
      dob_month: { label: 'Month', wrong: 'Enter the month as a number from 1 to 12.' },
      dob_year: {
        label: 'Year',
        wrong: 'Enter the year with four digits. You must be 18 or older.',
      },
      mobile_phone: {
        label: 'Mobile phone',
        hint: 'We will send you a code by SMS',
        wrong: 'Enter a mobile phone number, for example 600 123 456.',
      },
      nin: {
        label: 'Identity number',
        hint: 'As shown on your identity card',
        wrong: 'Check the identity number: 5 to 20 letters and digits.',
      },
      address: { label: 'Address', wrong: 'Enter your address.' },
      postal_code: { label: 'Postal code', wrong: 'Enter a valid postal code.' },
      city: { label: 'City', wrong: 'Enter your city.' },
    },
    twoSurnames: {
      label: 'Surnames',
      hint: 'Both surnames',
      wrong: 'Enter both of your surnames. If you have only one, write it twice.',
    },
    spanishNin: {
      label: 'DNI or NIE',
      hint: 'With its letter',
      wrong: 'Check the DNI or NIE and its letter.',
    },
    birth: {
      title: 'Date of birth',
      hint: 'For example 27 3 1980',
      wrong: 'Enter your date of birth: day, month and year.',
    },
    privacy: {
      before: 'I have read and accept the ',
      link: 'privacy policy',
      after: '.',
      wrong: 'Accept the privacy policy to continue.',
    },
  },
  code: {
    title: 'Enter the code',
    text: 'We have sent a five-digit code to your phone {phone}.',
    label: 'Code',
    wrong: 'The code is wrong.',
    void: 'This code is no longer valid. Send another code.',
    ended: 'This code is no longer valid.',
    tries: { one: 'You have one try left.', many: 'You have {count} tries left.' },
    send: 'Confirm the code',
    sending: 'Checking…',
    again: 'Send another code',
    againIn: 'Send another code in {time}',
    sendingAgain: 'Sending…',
    noMore: 'No more codes can be sent for this order. Enter the last one.',
    change: 'Change my details',
  },
  waits: {
    wait_for_screening: {
      title: 'Checking your purchase',
      text: 'This usually takes a few seconds.',
    },
    wait_for_confirmation: {
      title: 'The shop is confirming',
      text: 'This usually takes a few seconds.',
    },
    wait_for_on_hold: {
      title: 'The shop is confirming',
      text: 'This usually takes a few seconds.',
    },
    wait_for_id_verification: { title: 'Your identity', text: 'One moment, please.' },
  },
  wait: {
    remaining: 'At most {time} left',
    longTitle: 'This is taking longer than usual',
    longScreening:
      'You can keep waiting, or go back to the shop and choose another payment method.',
    longConfirmation:
      'You can keep waiting here, or leave: we keep asking the shop for some time. If it does not confirm the order by then, the order ends, and you get back what you have paid.',
  },
  verify: {
    title: 'Verify your identity',
    link: 'Verify my identity',
    text: 'Have your identity document ready. The check opens in a new tab. Afterwards you continue here.',
    again: 'Try again',
    opening: 'Opening…',
  },
  alternative: { send: 'Continue with this plan', sending: 'Sending…' },
  pay: {
    title: 'Pay {amount} by card',
    cards: 'Which card?',
    saved: 'Card ending in {digits}',
    expires: 'expires {expiry}',
    other: 'Another card',
    frame: 'Card form',
    failed: 'The payment was not made. Try again, or use another card.',
  },
  ends: {
    finish: { title: 'Your order is confirmed', text: 'We are taking you back to the shop.' },
    show_on_hold: {
      title: 'Your order is being reviewed',
      text: 'The shop will let you know the result. You do not need to do anything else.',
    },
    show_conflict: {
      title: 'The shop could not accept the order',
      text: 'Go back to the shop and try again. If you have paid, you will get your money back.',
    },
    reject: {
      title: 'This payment method is not available',
      text: 'Go back to the shop and choose another one.',
    },
    show_error: { title: 'Something went wrong', text: 'Go back to the shop and try again.' },
  },
  troubles: {
    offline:
      'You are offline, or the connection is weak. We keep trying. Please leave this page open.',
    slow: 'This is taking a while. Please wait.',
    busy: 'The service is busy. We try again in {seconds}\u00a0s.',
    refused: 'This could not be sent. Please try again.',
    unknown: 'This checkout could not be opened. Go back to the shop and try again.',
  },
}

export type CheckoutTexts = typeof en

const es: CheckoutTexts = {
  back: 'Volver a la tienda',
  opening: 'Abriendo el pago…',
  needsScript:
    'Esta página necesita JavaScript. Actívalo, o vuelve a la tienda y elige otra forma de pago.',
  notStarted:
    'El pago no ha empezado. Puede que tu navegador sea demasiado antiguo, o que algo bloquee el programa de la página. Actualiza el navegador, o vuelve a la tienda y elige otra forma de pago.',
  cart: { title: 'Tu pedido', total: 'Total', more: 'y {count} más' },
  plans: {
    title: 'Lo que pagas',
    choose: 'Elige cómo pagas',
    parts: '{count} pagos de {each}',
    later: '{total} en un solo pago',
    today: 'Hoy',
    dueToday: '{today} hoy',
    nothingToday: 'Nada hoy',
    total: 'Total',
    cost: 'Coste',
    free: 'ninguno',
    rate: 'Tasa anual (TAE)',
    wrong: 'Este plan ya no está disponible. Elige otro.',
  },
  person: {
    title: 'Tus datos',
    about: 'Sobre ti',
    address: 'Tu dirección',
    again:
      'La página se ha recargado. Escribe tus datos otra vez. Por tu seguridad, tu navegador no los guarda.',
    send: 'Enviarme un código',
    sending: 'Enviando…',
    optional: '(opcional)',
    check: 'Revisa los campos marcados.',
    fields: {
      given_names: { label: 'Nombre', wrong: 'Escribe tu nombre.' },
      surnames: { label: 'Apellidos', wrong: 'Escribe tus apellidos.' },
      dob_day: { label: 'Día', wrong: 'Revisa el día. Puede que ese mes tenga menos días.' },
      dob_month: { label: 'Mes', wrong: 'Escribe el mes con un número del 1 al 12.' },
      dob_year: {
        label: 'Año',
        wrong: 'Escribe el año con cuatro cifras. Debes tener 18 años o más.',
      },
      mobile_phone: {
        label: 'Móvil',
        hint: 'Te enviaremos un código por SMS',
        wrong: 'Escribe un número de móvil, por ejemplo 600 123 456.',
      },
      nin: {
        label: 'Número de identidad',
        hint: 'Como figura en tu documento',
        wrong: 'Revisa el número de identidad: de 5 a 20 letras y cifras.',
      },
      address: { label: 'Dirección', wrong: 'Escribe tu dirección.' },
      postal_code: { label: 'Código postal', wrong: 'Escribe un código postal válido.' },
      city: { label: 'Población', wrong: 'Escribe tu población.' },
    },
    twoSurnames: {
      label: 'Apellidos',
      hint: 'Los dos apellidos',
      wrong: 'Escribe tus dos apellidos. Si solo tienes uno, escríbelo dos veces.',
    },
    spanishNin: {
      label: 'DNI o NIE',
      hint: 'Con su letra',
      wrong: 'Revisa el DNI o NIE y su letra.',
    },
    birth: {
      title: 'Fecha de nacimiento',
      hint: 'Por ejemplo, 27 3 1980',
      wrong: 'Escribe tu fecha de nacimiento: día, mes y año.',
    },
    privacy: {
      before: 'He leído y acepto la ',
      link: 'política de privacidad',
      after: '.',
      wrong: 'Acepta la política de privacidad para continuar.',
    },
  },
  code: {
    title: 'Escribe el código',
    text: 'Te hemos enviado un código de cinco cifras al móvil {phone}.',
    label: 'Código',
    wrong: 'El código no es correcto.',
    void: 'Este código ya no vale. Pide otro código.',
    ended: 'Este código ya no vale.',
    tries: { one: 'Te queda un intento.', many: 'Te quedan {count} intentos.' },
    send: 'Confirmar el código',
    sending: 'Comprobando…',
    again: 'Enviar otro código',
    againIn: 'Enviar otro código en {time}',
    sendingAgain: 'Enviando…',
    noMore: 'No se pueden enviar más códigos para este pedido. Escribe el último.',
    change: 'Cambiar mis datos',
  },
  waits: {
    wait_for_screening: {
      title: 'Estamos revisando tu compra',
      text: 'Suele tardar unos segundos.',
    },
    wait_for_confirmation: {
      title: 'La tienda está confirmando',
      text: 'Suele tardar unos segundos.',
    },
    wait_for_on_hold: { title: 'La tienda está confirmando', text: 'Suele tardar unos segundos.' },
    wait_for_id_verification: { title: 'Tu identidad', text: 'Un momento, por favor.' },
  },
  wait: {
    remaining: 'Quedan como mucho {time}',
    longTitle: 'Está tardando más de lo normal',
    longScreening: 'Puedes seguir esperando, o volver a la tienda y elegir otra forma de pago.',
    longConfirmation:
      'Puedes seguir esperando aquí, o irte: seguimos preguntando a la tienda un tiempo. Si no confirma el pedido, el pedido termina y te devolvemos lo que hayas pagado.',
  },
  verify: {
    title: 'Verifica tu identidad',
    link: 'Verificar mi identidad',
    text: 'Ten a mano tu documento de identidad. La verificación se abre en otra pestaña. Después sigues aquí.',
    again: 'Intentarlo otra vez',
    opening: 'Abriendo…',
  },
  alternative: { send: 'Continuar con este plan', sending: 'Enviando…' },
  pay: {
    title: 'Paga {amount} con tarjeta',
    cards: '¿Con qué tarjeta?',
    saved: 'Tarjeta terminada en {digits}',
    expires: 'caduca {expiry}',
    other: 'Otra tarjeta',
    frame: 'Formulario de tarjeta',
    failed: 'El pago no se ha hecho. Inténtalo otra vez o usa otra tarjeta.',
  },
  ends: {
    finish: { title: 'Tu pedido está confirmado', text: 'Te llevamos de vuelta a la tienda.' },
    show_on_hold: {
      title: 'Estamos revisando tu pedido',
      text: 'La tienda te dirá el resultado. No tienes que hacer nada más.',
    },
    show_conflict: {
      title: 'La tienda no ha podido aceptar el pedido',
      text: 'Vuelve a la tienda e inténtalo otra vez. Si has pagado, te devolvemos el dinero.',
    },
    reject: {
      title: 'Esta forma de pago no está disponible',
      text: 'Vuelve a la tienda y elige otra.',
    },
    show_error: { title: 'Algo ha salido mal', text: 'Vuelve a la tienda e inténtalo otra vez.' },
  },
  troubles: {
    offline: 'No tienes conexión, o es muy débil. Seguimos intentándolo. No cierres esta página.',
    slow: 'Está tardando un poco. Espera, por favor.',
    busy: 'El servicio está ocupado. Lo intentamos otra vez en {seconds}\u00a0s.',
    refused: 'No se ha podido enviar. Inténtalo otra vez.',
    unknown: 'No se ha podido abrir este pago. Vuelve a la tienda e inténtalo otra vez.',
  },
}

export const CHECKOUT_TEXTS: { readonly [language in Language]: CheckoutTexts } = { en, es }
