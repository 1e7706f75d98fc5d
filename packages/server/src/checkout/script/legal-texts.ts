// The texts that the law requires, in each language that has texts. The browser and the server's
// pages share this file. Contract §4, Law.
import type { Language } from '@plazo/core/protocol'

const en = {
  closed: {
    title: 'This checkout is not open yet',
    text: 'You cannot pay here yet. Go back to the shop and choose another payment method.',
    missing: 'For the operator of this service: these settings are missing:',
  },
  legal: {
    title: 'Before you order',
    lender: 'Lender',
    conditions: 'Conditions',
    preContract: 'Pre-contract information',
    withdrawal: 'Right of withdrawal',
    person: 'To ask for a person',
    plan: 'Your plan',
    binding: 'By paying, you place an order with an obligation to pay {today} today.',
  },
  rejection: {
    automated: 'This was decided automatically.',
    byPerson: 'A person decided this.',
    contact: 'To ask for a person to look at it:',
  },
}

const es: typeof en = {
  closed: {
    title: 'Este pago aún no está disponible',
    text: 'Aquí no se puede pagar todavía. Vuelve a la tienda y elige otra forma de pago.',
    missing: 'Para el operador de este servicio: faltan estos ajustes:',
  },
  legal: {
    title: 'Antes de hacer el pedido',
    lender: 'Prestamista',
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

export const LEGAL_TEXTS: { readonly [language in Language]: typeof en } = { en, es }
