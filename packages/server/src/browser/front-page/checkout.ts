// Helps a newcomer through the checkout on the front page: fills in the shopper's data, and shows hints that they need at each
// step, such as the code or the test cards. The checkout itself knows nothing of it.
import type { Timeline } from '@plazo/core'
import '../shared/copy-buttons.ts'
import { make } from '../shared/dom.ts'

/** Fills each empty field as soon as the checkout shows it. `person`: the choice of the person who buys. */
export const prefill = (checkout: HTMLElement, person: HTMLInputElement): void => {
  const details = {
    ...{ given_names: person.dataset.name ?? '', surnames: person.value },
    ...{ dob_day: '02', dob_month: '01', dob_year: '1980', mobile_phone: '600123456', nin: '12345678Z' },
    ...{ address: 'Calle Mayor 1', postal_code: '28013', city: 'Madrid' },
  }
  checkout.addEventListener('plazo-step', () => {
    for (const [name, value] of Object.entries(details)) {
      const input = checkout.shadowRoot?.querySelector<HTMLInputElement>(`input[name=${name}]`)
      if (input && input.value === '') input.value = value
    }
  })
}

/** `order`: its uuid. Loads the element on first use. */
export const loadCheckout = async (place: HTMLElement, order: string): Promise<void> => {
  try {
    await import(new URL('../plazo-checkout.js', import.meta.url).href)
  } catch {
    const link = make('a', { href: `orders/${order}/form_v2`, target: '_blank' }, 'Open the checkout')
    place.replaceChildren(make('p', {}, [link, ' with username demo and password demo.']))
  }
}

const CARDS = [
  ['4111111111111111', 'pays'],
  ['4000000000000002', 'is declined'],
  ['4000000000003220', '3-D Secure'],
] as const

const copyRow = (text: string, note: string): HTMLElement =>
  make('div', { class: 'row' }, [
    make('span', {}, [make('code', {}, text), ` ${note}`]),
    make('button', { type: 'button', 'data-copy': text, 'aria-label': `Copy ${text}` }, 'Copy'),
  ])

const card = (title: string, ...content: readonly Node[]): HTMLElement =>
  make('div', { class: 'hint-card' }, [make('p', {}, make('strong', {}, title)), ...content])

const text = (words: string): HTMLElement => make('p', {}, words)

/** Null: this state needs no hint. */
export const hintFor = ({ order, entries }: Timeline): HTMLElement | null => {
  const { checkout, cancellation } = order.state
  switch (checkout) {
    case 'identifying':
      return card('The data is filled in', text('Accept the privacy policy at the end, and press “Send me a code”.'))
    case 'verifying_phone': {
      const sms = entries.findLast(({ type }) => type === 'sms')
      return sms?.badge
        ? card('The SMS has arrived', copyRow(sms.badge, 'is the code; 12345 works too'))
        : card('The SMS is on its way', copyRow('12345', 'always works'))
    }
    case 'paying': {
      const rows = CARDS.map(([number, does]) => copyRow(number, does))
      return card('Test cards', ...rows, text('Any future expiry, and any CVC.'))
    }
    case 'reviewing': {
      const link = make('a', { href: `console/orders/${order.order_ref}`, target: '_blank' }, 'console')
      const words = ['Approve or reject it on the ', link, ': username operator, password operator.']
      return card('An operator decides', make('p', {}, words))
    }
    case 'screening':
      return card('The screening takes a second', text('If it never answers, press “Next timer” at the top.'))
    case 'confirmed': {
      const mayBeCancelled = cancellation === 'none' ? '' : ', and may be cancelled'
      const words = entries.some(({ type }) => type === 'webhook')
        ? 'The timeline has the signed IPN and the shop’s answer. Open it to see every header.'
        : 'The signed IPN appears in the timeline.'
      return card(`The purchase is complete${mayBeCancelled}`, text(words))
    }
    default:
      return null
  }
}
