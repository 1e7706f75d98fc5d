// The texts of the checkout in each language that has texts. The browser and the server's pages
// share this file, so that a shopper reads one language from the first step to the bank's page.
// Spanish says tú everywhere. The texts that the law requires are here too. Contract §4, Law.
import type { Language } from '@plazo/core/protocol'
import { type CheckoutTexts, ENGLISH } from './english.ts'

const SPANISH: CheckoutTexts = {
  back: 'Volver a la tienda',
  opening: 'Abriendo el pago…',
  needsScript:
    'Esta página necesita JavaScript. Actívalo, o vuelve a la tienda y elige otra forma de pago.',
  notStarted:
    'El pago no ha empezado. Puede que tu navegador sea demasiado antiguo, o que algo bloquee el programa de la página. Actualiza el navegador, o vuelve a la tienda y elige otra forma de pago.',
  cart: { title: 'Tu pedido', total: 'Total', more: 'y {count} más' },
  plans: {
    title: 'Lo que pagas',
    choose: 'Elige un plan de pago',
    parts: '{count} pagos de {each}',
    later: '{total} en un solo pago',
    today: 'Hoy',
    dueToday: '{today} hoy',
    nothingToday: 'Nada hoy',
    total: 'Total',
    cost: 'Coste del crédito',
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
        wrong: 'Revisa el año: cuatro cifras, por ejemplo 1980.',
      },
      mobile_phone: {
        label: 'Móvil',
        hint: 'Te enviaremos un código por SMS',
        wrong: 'Escribe un número de móvil, por ejemplo 600 123 456.',
      },
      nin: {
        label: 'Número de tu documento de identidad',
        hint: 'Por ejemplo, DNI, NIE o pasaporte',
        wrong: 'Revisa el número de identidad: de 5 a 20 letras y cifras.',
      },
      address: { label: 'Dirección', wrong: 'Escribe tu dirección.' },
      postal_code: { label: 'Código postal', wrong: 'Escribe un código postal válido.' },
      city: { label: 'Población', wrong: 'Escribe tu población.' },
    },
    twoSurnames: {
      label: 'Apellidos',
      hint: 'Los dos apellidos',
      wrong: 'Escribe tus dos apellidos, o marca la casilla si solo tienes uno.',
    },
    noMoreCodes: 'Este número no recibe más códigos por ahora. Usa otro o inténtalo más tarde.',
    tooYoung: 'Debes tener 18 años o más.',
    oneSurname: 'Tengo un solo apellido',
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
    noMore: 'No se pueden enviar más códigos para este pedido.',
    change: 'Cambiar mis datos',
  },
  waits: {
    screening: 'Estamos comprobando tus datos',
    confirmation: 'La tienda está confirmando',
    text: 'Suele tardar unos segundos.',
    remaining: 'Lo sabrás, como mucho, en {time}',
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
    failed: 'El pago no se ha completado. Inténtalo otra vez o usa otra tarjeta.',
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
      title: 'No podemos ofrecerte esta forma de pago',
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
  closed: {
    title: 'Este pago aún no está disponible',
    text: 'Aquí no se puede pagar todavía. Vuelve a la tienda y elige otra forma de pago.',
    missing: 'Para el operador de este servicio: faltan estos ajustes:',
  },
  legal: {
    title: 'Antes de hacer el pedido',
    lender: 'Prestamista',
    provider: 'Servicio de pago',
    conditions: 'Condiciones',
    preContract: 'Información precontractual',
    withdrawal: 'Derecho de desistimiento',
    person: 'Para hablar con una persona',
    plan: 'Tu plan',
    binding: 'Al pagar haces un pedido con obligación de pago: {today} hoy.',
  },
  rejection: {
    automated: 'Se ha decidido automáticamente.',
    byPerson: 'Lo ha decidido una persona.',
    contact: 'Para pedir que lo revise una persona:',
  },
}

export const CHECKOUT_TEXTS: { readonly [language in Language]: CheckoutTexts } = {
  en: ENGLISH,
  es: SPANISH,
}
