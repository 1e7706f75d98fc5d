// The payment step: the shopper's saved cards, one of them selected, and the card form in its frame.
import { fillTemplate, make } from '../shared/dom.ts'
import { mountCardForm } from './card-frame.ts'
import type { ActionOf } from './checkout-driver.ts'
import { type Context, headingOf, type Step, showAndFocus } from './context.ts'

export const paymentStep = (context: Context, action: ActionOf<'require_payment'>): Step => {
  const { texts, checkout, trouble } = context
  const { pay } = texts
  const place = make('div', { class: 'frame' })
  const failed = make(
    'p',
    { class: 'alert', role: 'alert', tabindex: '-1', hidden: context.hasPaymentFailed ? null : '' },
    pay.failed,
  )
  const hadFailed = context.hasPaymentFailed
  context.hasPaymentFailed = false
  let mounted = { remove: (): void => {} }

  const mount = (url: string): void => {
    mounted.remove()
    mounted = mountCardForm(
      place,
      url,
      {
        // A new attempt: the message about the one before would lie above it.
        paymentSubmitted: () => {
          failed.hidden = true
        },
        paymentSuccessful: checkout.refresh,
        paymentFailed: () => {
          // The next attempt has a form of its own.
          context.hasPaymentFailed = true
          checkout.refresh()
        },
      },
      pay.frame,
    )
  }

  const choices = [
    ...action.reusable_cards.map(({ iframe_url: url, last_four: digits, expiry_month_year: expiry }) => ({
      url,
      label: fillTemplate(pay.saved, { digits }),
      detail: fillTemplate(pay.expires, { expiry }),
    })),
    { url: action.iframe_url, label: pay.other, detail: null },
  ]
  const selected = hadFailed ? choices.length - 1 : 0
  const cards = choices.map(({ url, label, detail }, index) => {
    const radio = make('input', { type: 'radio', name: 'card', checked: index === selected ? '' : null })
    radio.addEventListener('change', () => {
      failed.hidden = true
      mount(url)
    })
    return make(
      'label',
      { class: 'choice saved' },
      radio,
      make('span', {}, `${label} `, detail === null ? null : make('span', { class: 'quiet' }, detail)),
    )
  })
  mount(choices[selected]?.url ?? action.iframe_url)

  return {
    heading: headingOf(context, fillTemplate(pay.title, { amount: action.amount.string })),
    content: [
      failed,
      ...(choices.length > 1
        ? [make('fieldset', { class: 'cards' }, make('legend', { class: 'group' }, pay.cards), ...cards)]
        : []),
      place,
      trouble,
    ],
    // Keeps what the shopper is typing.
    update: (next) => next.action === 'require_payment' && next.iframe_url === action.iframe_url,
    ...(hadFailed && { focus: () => showAndFocus(failed) }),
    end: () => mounted.remove(),
  }
}
