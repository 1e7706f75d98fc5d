// Says next to the checkout what the shopper needs now and a newcomer cannot know: the SMS code, a test card, or how to go on.
import type { Timeline } from '@plazo/core'
import { make } from './dom.ts'

const CARDS = [
  ['4111111111111111', 'pays'],
  ['4000000000000002', 'is declined'],
  ['4000000000003220', '3-D Secure'],
] as const

const copyRow = (text: string, note: string): HTMLElement => {
  const button = make('button', { type: 'button', 'aria-label': `Copy ${text}` }, 'Copy')
  button.addEventListener('click', async () => {
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
    button.textContent = isCopied ? 'Copied' : 'Not allowed'
  })
  return make('div', { class: 'row' }, make('span', {}, make('code', {}, text), ` ${note}`), button)
}

const card = (title: string, ...content: readonly Node[]): HTMLElement =>
  make('div', { class: 'hint-card' }, make('p', {}, make('strong', {}, title)), ...content)

const text = (words: string): HTMLElement => make('p', {}, words)

const codeHint = ({ entries }: Timeline): HTMLElement => {
  const sms = entries.findLast(({ type }) => type === 'sms')
  return sms?.badge
    ? card('The SMS has arrived', copyRow(sms.badge, 'is the code; 12345 works too'))
    : card('The SMS is on its way', copyRow('12345', 'always works'))
}

const cardHint = (): HTMLElement =>
  card('Test cards', ...CARDS.map(([number, does]) => copyRow(number, does)), text('Any future expiry, and any CVC.'))

const operatorHint = ({ order }: Timeline): HTMLElement =>
  card(
    'An operator decides',
    make(
      'p',
      {},
      'Approve or reject it on the ',
      make('a', { href: `console/orders/${order.order_ref}`, target: '_blank' }, 'console'),
      ': username operator, password operator.',
    ),
  )

/** At most one hint. */
export const hintFor = (timeline: Timeline): readonly HTMLElement[] => {
  const { checkout, cancellation } = timeline.order.state
  const hasWebhook = timeline.entries.some(({ type }) => type === 'webhook')
  switch (checkout) {
    case 'identifying':
      return [card('The data is filled in', text('Accept the privacy policy at the end, and press “Send me a code”.'))]
    case 'verifying_phone':
      return [codeHint(timeline)]
    case 'paying':
      return [cardHint()]
    case 'reviewing':
      return [operatorHint(timeline)]
    case 'screening':
      return [card('The screening takes a second', text('If it never answers, press “Next timer” at the top.'))]
    case 'confirmed':
      return [
        card(
          cancellation === 'none' ? 'The purchase is complete' : 'The purchase is complete, and may be cancelled',
          text(
            hasWebhook
              ? 'The timeline has the signed IPN and the shop’s answer. Open it to see every header.'
              : 'The signed IPN appears in the timeline.',
          ),
        ),
      ]
    default:
      return []
  }
}
