// Helps a newcomer through the checkout: fills in the shopper's data, and says who must act and what
// they need, such as the code or a test card. The checkout itself knows nothing of it.
import { hear, make, makeButton } from '@plazo/server/internal/browser'
import type { Child } from 'hono/jsx'
import { useState } from 'hono/jsx/dom'
import type { Timeline } from '../protocol.ts'
import { CARDS } from './choices.ts'
import FOLDED from './folded.css'
import { Button } from './parts.tsx'
import { state, urlOf } from './state.tsx'

const VALUES = {
  dob_day: '02',
  dob_month: '01',
  dob_year: '1980',
  mobile_phone: '600123456',
  nin: '12345678Z',
  address: 'Calle Mayor 1',
  postal_code: '28013',
  city: 'Madrid',
}

/** Resolves to the last field; undefined: there is none. */
const fillFields = (root: ParentNode, values: Readonly<Record<string, string>>) => {
  let last: HTMLInputElement | undefined
  for (const [name, value] of Object.entries(values))
    for (const input of root.querySelectorAll<HTMLInputElement>(`input[name=${name}]`)) {
      input.value = value
      input.dispatchEvent(new Event('input', { bubbles: true }))
      last = input
    }
  return last
}

const valuesOf = (part: Element): string => {
  const plan = part.querySelector('.plan:has(:checked) .plan-head > span')
  const texts = plan
    ? [...plan.children].map(({ textContent }) => textContent)
    : [...part.querySelectorAll('input')].map(({ value }) => value)
  return texts.join(' ')
}

/** A filled form would be long to scroll: each part shows its values in a line, until it is unfolded. */
const fold = (part: Element): void => {
  const unfold = (): void => {
    part.classList.remove('folded')
    part.querySelector('input')?.focus()
  }
  part.classList.add('folded')
  const label = `Change: ${part.querySelector('legend')?.textContent}`
  const button = makeButton('Change', unfold, { class: 'other', 'aria-label': label })
  part.append(make('div', { class: 'fold' }, [make('span', {}, valuesOf(part)), button]))
}

// Only of this order may the checkout say that the page was reloaded.
const [load] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
const reloadedOrder =
  load?.type === 'reload' ? new URLSearchParams(location.search).get('order') : null

hear(document, 'plazo-step', (_, { target }) => {
  // A reader who is elsewhere keeps their place when the order goes on without them.
  const reader = document.activeElement
  const focused = (reader?.shadowRoot?.activeElement ?? reader) as HTMLElement | null
  if (reader !== target) queueMicrotask(() => focused?.focus())
  const root = (target as Element).shadowRoot
  const parts = root?.querySelectorAll('.group-of-fields, .plans:has(:checked)')
  if (!root || !parts?.length || root.querySelector('.fold')) return
  const { name, surnames } = state.person
  fillFields(root, { ...VALUES, given_names: name, surnames })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(state.order === reloadedOrder ? FOLDED : `${FOLDED} .note { display: none }`)
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
  parts.forEach(fold)
})

// The shop's own page would replace this one.
hear(document, 'plazo-finish', (_, event) => event.preventDefault())

/** `order`: its uuid. Loads the element on first use. */
export const Checkout = ({ order }: { order: string }) => {
  void import(urlOf('sdk/plazo-checkout.js'))
  return <plazo-checkout key={order} order={order} />
}

type FillProps = { readonly text: string; readonly note: string; readonly isCard?: boolean }

/** A text, and a button that fills it in, or copies it where there is no field for it. */
const Fill = ({ text, note, isCard = false }: FillProps) => {
  const [label, setLabel] = useState('Fill in')
  const fill = async (): Promise<void> => {
    const root = document.querySelector('plazo-checkout')?.shadowRoot
    const form = isCard ? root?.querySelector('iframe')?.contentDocument : root
    const expiry = `12/${(new Date().getFullYear() + 3) % 100}`
    const values = isCard ? { number: text, expiry, cvc: '123' } : { validation_code: text }
    const last = form && fillFields(form, values)
    if (last) last.focus()
    else await navigator.clipboard.writeText(text).then(() => setLabel('Copied'))
  }
  return (
    <div class="actions">
      <code>{text}</code> {note}
      <Button aria-label={`Fill in ${text}`} onClick={fill}>
        {label}
      </Button>
    </div>
  )
}

/** Who must act now, and what helps them. Null: nobody. */
export const stepOf = ({ order, entries }: Timeline): readonly [Child, Child] | null => {
  switch (order.state.checkout) {
    case 'identifying':
      return [
        'The shopper sends their details',
        'The data is filled in. Accept the privacy policy, and press “Send me a code”.',
      ]
    case 'verifying_phone': {
      const code = entries.findLast(({ type }) => type === 'sms')?.badge
      return [
        'The shopper enters the code',
        code ? <Fill text={code} note="is in the SMS" /> : 'The SMS is on its way.',
      ]
    }
    case 'choosing_alternative':
      return ['The shopper chooses another plan', '']
    case 'paying':
      return [
        'The shopper pays by card',
        CARDS.map(([number, note]) => <Fill text={number} note={note} isCard />),
      ]
    case 'reviewing':
      return [
        <a href={urlOf(`console/orders/${order.order_ref}`)} target="_blank" rel="noreferrer">
          An operator decides
        </a>,
        'On the console: username operator, password operator or OPERATOR_PASSWORD.',
      ]
    case 'confirmed':
      if (order.state.cancellation === 'cancelled') return null
      return ['The purchase is complete', 'Open the webhook IPN to see its headers.']
    default:
      return null
  }
}
