// Every action of the interface needs a view. Here are the views of all actions but two: the form
// and the code have files of their own. Interface §4.1, §4.2.
import type { CheckoutSummary, PlanInFull } from '@plazo/core/protocol'
import { fillTemplate, icon, make, makeButton } from '../../http/page/script/dom.ts'
import { mountCardForm } from './card-frame.ts'
import type { Action, ActionOf } from './checkout-driver.entry.ts'
import {
  backLink,
  type Context,
  clockTime,
  headingOf,
  makeForm,
  type Step,
  showAndFocus,
  showProgress,
} from './context.ts'
import { bindingNotice, decisionNotice, isLastClick, legalNotice } from './legal.ts'
import { choiceOf, planChoice } from './plans.ts'

type WaitAction = Extract<Action, { readonly action: keyof Context['texts']['waits'] }>

const LONG_MILLIS = 60_000

/**
 * A wait. After a minute its message changes, and a link leads back to the shop: nobody should
 * watch a spinner for a day.
 */
export const waitStep = (context: Context, action: WaitAction): Step => {
  const { texts, trouble } = context
  const { title, text } = texts.waits[action.action]
  // The message is a sentence, and a heading ends without a full stop.
  const headingText =
    action.action === 'wait_for_id_verification' ? action.message.replace(/\.$/, '') : title
  const heading = headingOf(context, headingText)
  const since = context.waitsSince ?? performance.now()
  context.waitsSince = since
  const isScreening = action.action === 'wait_for_screening'
  const seconds =
    'expires_in' in action
      ? action.expires_in
      : 'expires_in_seconds' in action
        ? action.expires_in_seconds
        : 0
  const endsAt = performance.now() + 1_000 * seconds
  const message = make('p', {}, text)
  const bar = make('progress', { max: String(Math.max(seconds, 60)), 'aria-label': headingText })
  const remaining = make('p', { class: 'quiet' })
  const wayOut = make('div', { class: 'way-out', hidden: true }, backLink(context, 'button other'))
  let isLong = false

  const tick = (): void => {
    const secondsLeft = Math.max(0, Math.ceil((endsAt - performance.now()) / 1_000))
    bar.value = secondsLeft
    bar.hidden = secondsLeft === 0
    remaining.textContent = bar.hidden
      ? ''
      : fillTemplate(texts.wait.remaining, { time: clockTime(secondsLeft) })
    if (isLong || performance.now() - since < LONG_MILLIS) return
    isLong = true
    heading.textContent = texts.wait.longTitle
    message.textContent = isScreening ? texts.wait.longScreening : texts.wait.longConfirmation
    wayOut.hidden = false
    heading.dispatchEvent(new Event('plazo-title', { bubbles: true }))
  }
  tick()
  const timer = setInterval(tick, 1_000)
  return {
    lead: make('span', { class: 'spinner', 'aria-hidden': 'true' }),
    heading,
    content: [make('div', { role: 'status' }, message), bar, remaining, trouble, wayOut],
    update: (next) =>
      next.action === action.action &&
      next.action !== 'wait_for_id_verification' &&
      !('expires_in_seconds' in next),
    end: () => clearInterval(timer),
  }
}

export const verifyStep = (
  context: Context,
  { session_url: url, status, message }: ActionOf<'wait_for_id_verification'>,
): Step => {
  const { texts, checkout, trouble } = context
  const { verify } = texts
  const againButton = makeButton(
    verify.again,
    () => void showProgress(againButton, verify.opening, checkout.submitAgain),
  )
  const link = make(
    'a',
    { class: 'button', href: url, target: '_blank', rel: 'noopener' },
    verify.link,
  )
  const isBroken = status === 'ERROR'
  return {
    heading: headingOf(context, verify.title),
    content: [
      isBroken ? make('p', { class: 'alert', role: 'alert' }, message) : make('p', {}, verify.text),
      make('div', { class: 'actions' }, [isBroken ? againButton : link, trouble]),
      backLink(context, 'way'),
    ],
  }
}

/**
 * Offers other plans. `plans`: those on offer, with their dates. `decision`: says how the first
 * plan was rejected.
 */
export const alternativeStep = (
  context: Context,
  action: ActionOf<'alt_payment'>,
  plans: readonly PlanInFull[],
  decision: CheckoutSummary,
): Step => {
  const { texts, checkout, trouble } = context
  const send = make('button')
  const legal = make('div', {}, legalNotice(context))
  const showButton = (plan: PlanInFull | undefined): void => {
    const isLast = plan !== undefined && isLastClick(plan)
    send.textContent = isLast ? plan.order_button : texts.alternative.send
    legal.hidden = !isLast
  }
  const choice = planChoice(context, plans, 'alternative', showButton)
  showButton(choice.chosenPlan())
  const choosePlan = async (): Promise<void> => {
    const plan = choice.chosenPlan()
    if (plan === undefined) return
    context.plan = plan
    await checkout.choosePlan(choiceOf(plan))
  }
  const form = makeForm(send, texts.alternative.sending, choosePlan, [
    choice.element,
    legal,
    make('div', { class: 'actions' }, [send, trouble]),
    backLink(context, 'way'),
  ])
  return {
    heading: headingOf(context, action.title),
    content: [
      ...action.messages.map((text) => make('p', {}, text)),
      ...decisionNotice(decision),
      form,
    ],
  }
}

/** The shopper's saved cards, one of them selected, and the card form in its frame. */
export const paymentStep = (context: Context, action: ActionOf<'require_payment'>): Step => {
  const { texts, checkout, trouble } = context
  const { pay } = texts
  const place = make('div', { class: 'frame' })
  const hadFailed = context.hasPaymentFailed
  context.hasPaymentFailed = false
  const failed = make('p', { class: 'alert', role: 'alert', tabindex: '-1' }, pay.failed)
  failed.hidden = !hadFailed
  const callbacks = {
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
  }
  let mounted = { remove: (): void => {} }
  const mount = (url: string): void => {
    mounted.remove()
    mounted = mountCardForm(place, url, callbacks, pay.frame)
  }

  const choices = [
    ...action.reusable_cards.map(
      ({ iframe_url: url, last_four: digits, expiry_month_year: expiry }) => ({
        url,
        label: fillTemplate(pay.saved, { digits }),
        detail: fillTemplate(pay.expires, { expiry }),
      }),
    ),
    { url: action.iframe_url, label: pay.other, detail: null },
  ]
  const selected = hadFailed ? choices.length - 1 : 0
  const cards = choices.map(({ url, label, detail }, index) => {
    const radio = make('input', {
      type: 'radio',
      name: 'card',
      checked: index === selected,
    })
    radio.addEventListener('change', () => {
      failed.hidden = true
      mount(url)
    })
    return make('label', { class: 'choice saved' }, [
      radio,
      make('span', {}, [`${label} `, detail !== null && make('span', { class: 'quiet' }, detail)]),
    ])
  })
  mount(choices[selected]?.url ?? action.iframe_url)

  return {
    plan: context.plan,
    heading: headingOf(context, fillTemplate(pay.title, { amount: action.amount.string })),
    content: [
      failed,
      choices.length > 1 &&
        make('fieldset', { class: 'cards' }, [
          make('legend', { class: 'group' }, pay.cards),
          ...cards,
        ]),
      bindingNotice(context),
      make(
        'p',
        {},
        fillTemplate(context.texts.legal.binding, {
          today: action.amount.string,
        }),
      ),
      place,
      trouble,
    ],
    // Keeps what the shopper is typing.
    update: (next) => next.action === 'require_payment' && next.iframe_url === action.iframe_url,
    ...(hadFailed && { focus: () => showAndFocus(failed) }),
    end: () => mounted.remove(),
  }
}

const ICONS = {
  finish: 'M5 12.5l4.5 4.5L19 7.5',
  show_on_hold: 'M12 4.5V12l5 3',
  show_conflict: 'M12 7v6M12 16.5v.01',
  reject: 'M8 8l8 8M16 8l-8 8',
  show_error: 'M12 7v6M12 16.5v.01',
}
type End = keyof typeof ICONS

export const isEnd = (action: Action): action is Extract<Action, { readonly action: End }> =>
  action.action in ICONS

/**
 * Every end leads back to the shop. `decision`: says how a rejection was decided; null for another
 * end.
 */
export const endStep = (
  context: Context,
  action: Extract<Action, { readonly action: End }>,
  decision: CheckoutSummary | null,
): Step => {
  const name = action.action
  const { title, text } = context.texts.ends[name]
  const messages = 'messages' in action && action.messages.length > 0 ? action.messages : [text]
  return {
    lead: make('span', { class: `badge ${name}` }, icon(ICONS[name])),
    heading: headingOf(context, title),
    content: [
      ...messages.map((each) => make('p', {}, each)),
      ...(decision === null ? [] : decisionNotice(decision)),
      backLink(context),
    ],
  }
}
