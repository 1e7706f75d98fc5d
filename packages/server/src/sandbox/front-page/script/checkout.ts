// Helps a newcomer through the checkout on the front page: fills in the shopper's data, and shows
// hints that they need at each step, such as the code or the test cards. The checkout itself knows
// nothing of it.
import { make, makeButton } from '@plazo/server/internal/browser'
import type { Timeline } from '../../protocol.ts'

/**
 * Fills each empty field as soon as the checkout shows it, and folds what is filled. `person`: the
 * choice of the person who buys.
 */
export const prefill = (checkout: HTMLElement, person: HTMLInputElement): void => {
  const details = {
    given_names: person.dataset.name ?? '',
    surnames: person.value,
    dob_day: '02',
    dob_month: '01',
    dob_year: '1980',
    mobile_phone: '600123456',
    nin: '12345678Z',
    address: 'Calle Mayor 1',
    postal_code: '28013',
    city: 'Madrid',
  }
  checkout.addEventListener('plazo-step', () => {
    const root = checkout.shadowRoot
    if (root === null) return
    for (const [name, value] of Object.entries(details)) {
      const input = root.querySelector<HTMLInputElement>(`input[name=${name}]`)
      if (input && input.value === '') input.value = value
    }
    foldForm(root)
  })
}

// A part with an error is never folded. The cart is in the shop, one step before.
const FOLDED = `
.fold { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; font-size: .9375rem; grid-column: 1 / -1; min-inline-size: 0 }
.fold span { flex: 1 1 8rem; min-inline-size: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.fold button { flex: none; min-block-size: 2.25rem; padding: .25rem .875rem }
.folded:has([aria-invalid=true]) > .fold, .fold:not(.folded > *) { display: none }
.folded:not(:has([aria-invalid=true])) > :not(legend, .fold) { display: none }
.folded > legend { margin-block-end: .25rem }
.checkout:has(.folded) .items { display: none }
.checkout:has(.folded) .cart { display: flex; flex-wrap: wrap; justify-content: space-between; padding-block: .75rem }
.checkout:has(.folded) .total { border: 0; padding: 0; align-items: center; gap: .5rem }
.step:has(.folded) .stack { gap: 1.125rem }
`

const valuesOf = (part: Element): string => {
  const plan = part.querySelector('.plan:has(:checked) .plan-head > span')
  if (plan !== null) return [...plan.children].map(({ textContent }) => textContent).join(', ')
  return [...part.querySelectorAll('input')].map(({ value }) => value).join(' ')
}

/**
 * A filled form would be long to scroll. Each of its parts shows its values in a line, with a
 * button that unfolds it.
 */
const foldForm = (root: ShadowRoot): void => {
  const parts = root.querySelectorAll<HTMLElement>('.group-of-fields, .plans:has(:checked)')
  if (parts.length === 0 || root.querySelector('.fold') !== null) return
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(FOLDED)
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
  for (const part of parts) {
    const unfold = (): void => {
      part.classList.remove('folded')
      part.querySelector('input')?.focus()
    }
    part.classList.add('folded')
    const label = `Change: ${part.querySelector('legend')?.textContent ?? ''}`
    const button = makeButton('Change', unfold, { class: 'other', 'aria-label': label })
    part.append(make('div', { class: 'fold' }, [make('span', {}, valuesOf(part)), button]))
  }
}

/** `order`: its uuid. Loads the element on first use. */
export const loadCheckout = async (place: HTMLElement, order: string): Promise<void> => {
  try {
    await import(new URL('../sdk/plazo-checkout.js', import.meta.url).href)
  } catch {
    const link = make(
      'a',
      { href: `orders/${order}/form_v2`, target: '_blank' },
      'Open the checkout',
    )
    place.replaceChildren(make('p', {}, [link, ' with username demo and password demo.']))
  }
}

const CARDS = [
  ['4111111111111111', 'pays'],
  ['4000000000000002', 'is declined'],
  ['4000000000003220', '3-D Secure'],
] as const

/** Fills in something at the present step of the checkout. False: there is no place for it. */
type FillIn = (checkout: ShadowRoot) => boolean

const fillFields = (root: ParentNode, values: Readonly<Record<string, string>>): boolean => {
  let isFilled = false
  for (const [name, value] of Object.entries(values)) {
    const input = root.querySelector<HTMLInputElement>(`input[name=${name}]`)
    if (input === null) continue
    input.value = value
    input.dispatchEvent(new Event('input', { bubbles: true }))
    isFilled = true
  }
  return isFilled
}

const fillInCode =
  (code: string): FillIn =>
  (root) => {
    const isFilled = fillFields(root, { validation_code: code })
    if (isFilled) root.querySelector<HTMLElement>('input[name=validation_code]')?.focus()
    return isFilled
  }

/** False if the card form is not there yet, or is another server's. */
const fillInCard =
  (number: string): FillIn =>
  (root) => {
    const form = root.querySelector('iframe')?.contentDocument
    const expiry = `12/${(new Date().getFullYear() + 3) % 100}`
    const isFilled = form ? fillFields(form, { number, expiry, cvc: '123' }) : false
    if (isFilled) form?.querySelector<HTMLElement>('button:not([type=button])')?.focus()
    return isFilled
  }

/** A text, and a button that fills it in. If that is not possible, the button copies it. */
const fillRow = (text: string, note: string, fillIn: FillIn): HTMLElement => {
  const button = makeButton(
    'Fill in',
    async () => {
      const checkout = document.querySelector('plazo-checkout')?.shadowRoot
      if (checkout && fillIn(checkout)) return
      await navigator.clipboard.writeText(text).then(
        () => button.replaceChildren('Copied'),
        () => {},
      )
    },
    { 'aria-label': `Fill in ${text}` },
  )
  return make('div', { class: 'row' }, [
    make('span', {}, [make('code', {}, text), ` ${note}`]),
    button,
  ])
}

const card = (title: string, ...content: readonly Node[]): HTMLElement =>
  make('div', { class: 'hint-card' }, [make('p', {}, make('strong', {}, title)), ...content])

const text = (words: string): HTMLElement => make('p', {}, words)

/** Null: this state needs no hint. */
export const hintFor = ({ order, entries }: Timeline): HTMLElement | null => {
  const { checkout, cancellation } = order.state
  switch (checkout) {
    case 'identifying':
      return card(
        'The data is filled in',
        text('Accept the privacy policy, and press “Send me a code”.'),
      )
    case 'verifying_phone': {
      const sms = entries.findLast(({ type }) => type === 'sms')
      return sms?.badge
        ? card(
            'The SMS has arrived',
            fillRow(sms.badge, 'is the code; 12345 works too', fillInCode(sms.badge)),
          )
        : card('The SMS is on its way', fillRow('12345', 'always works', fillInCode('12345')))
    }
    case 'paying': {
      return card(
        'Test cards',
        ...CARDS.map(([number, does]) => fillRow(number, does, fillInCard(number))),
      )
    }
    case 'reviewing': {
      const link = make(
        'a',
        { href: `console/orders/${order.order_ref}`, target: '_blank' },
        'console',
      )
      const words = [
        'Approve or reject it on the ',
        link,
        ': username operator, password operator.',
      ]
      return card('An operator decides', make('p', {}, words))
    }
    case 'screening':
      return card(
        'The screening takes a second',
        text('If it never answers, press “Next timer” at the top.'),
      )
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
