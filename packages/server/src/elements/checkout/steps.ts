// Every action of the interface needs a view. Here are the views of all actions but two: the form
// and the code have files of their own. Interface §4.1, §4.2.
import type { CheckoutSummary, PlanInFull } from '@plazo/core/internal'
import { fillTemplate, icon, make, makeButton } from '../../http/page/script/dom.ts'
import { mountCardForm } from './card-frame.ts'
import type { Action, ActionOf } from './checkout-driver.entry.ts'
import {
  backLink,
  type Context,
  clockTime,
  headingOf,
  makeForm,
  newTab,
  type Step,
  showProgress,
} from './context.ts'
import { bindingNotice, decisionNotice, isLastClick, legalNotice } from './legal.ts'
import { choiceOf, planChoice } from './plans.ts'

type WaitAction = Extract<Action, { readonly action: `wait_for_${string}` }>

const LONG_MILLIS = 60_000

/**
 * A wait. After a minute its message changes, and a link leads back to the shop: nobody should
 * watch a spinner for a day.
 */
export const waitStep = (context: Context, action: WaitAction): Step => {
  const { trouble } = context
  const { waits } = context.texts
  const isScreening = action.action === 'wait_for_screening'
  const title = isScreening ? waits.screening : waits.confirmation
  // The message is a sentence, and a heading ends without a full stop.
  const headingText =
    action.action === 'wait_for_id_verification' ? action.message.replace(/\.$/, '') : title
  const heading = headingOf(context, headingText)
  context.waitsSince ??= performance.now()
  const since = context.waitsSince
  const { expires_in, expires_in_seconds } = { expires_in: 0, expires_in_seconds: 0, ...action }
  const endsAt = performance.now() + 1_000 * (expires_in + expires_in_seconds)
  const message = make('p', waits.text)
  const remaining = make('p.quiet')
  const wayOut = make('div.way-out', { hidden: true }, backLink(context, 'button other'))

  const tick = (): void => {
    const secondsLeft = Math.max(0, Math.ceil((endsAt - performance.now()) / 1_000))
    remaining.textContent =
      secondsLeft > 0 ? fillTemplate(waits.remaining, { time: clockTime(secondsLeft) }) : ''
    if (!wayOut.hidden || performance.now() - since < LONG_MILLIS) return
    wayOut.hidden = false
    heading.textContent = waits.longTitle
    message.textContent = isScreening ? waits.longScreening : waits.longConfirmation
    if (heading.isConnected) context.nameStep()
  }
  tick()
  const timer = setInterval(tick, 1_000)
  return {
    lead: make('span.spinner', { 'aria-hidden': 'true' }),
    heading,
    content: [make('div', { role: 'status' }, message), remaining, trouble, wayOut],
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
  const isBroken = status === 'ERROR'
  return {
    heading: headingOf(context, verify.title),
    content: [
      isBroken ? make('p.alert', { role: 'alert' }, message) : make('p', verify.text),
      make('div.actions', isBroken ? againButton : newTab(url, verify.link, 'button'), trouble),
      backLink(context, 'way'),
    ],
  }
}

/** Offers other plans. The action has them without their dates. */
export const alternativeStep = async (
  context: Context,
  action: ActionOf<'alt_payment'>,
): Promise<Step> => {
  const { texts, checkout, trouble } = context
  const { credit_agreements: agreements, forced_credit_agreement_index: forced } = action
  const offered = forced === null ? agreements : agreements.slice(forced, forced + 1)
  const products = [...new Set(offered.map(({ product }) => product))]
  const summaries = await Promise.all(products.map((product) => checkout.summary(product)))
  // A credit cannot be sold before the operator has said who lends.
  const open = summaries.filter(({ missing_settings: missing }) => missing.length === 0)
  const plans = open
    .flatMap((summary) => summary.plans)
    .filter(({ product, instalment_count: count }) =>
      offered.some((each) => each.product === product && each.instalment_count === count),
    )
    .map((plan) => ({ ...plan, default: false }))

  const send = make('button')
  const legal = make('div')
  const showButton = (plan: PlanInFull | undefined): void => {
    const isLast = plan !== undefined && isLastClick(plan)
    send.textContent = isLast ? plan.order_button : texts.alternative.send
    const facts = open.find(({ product }) => product.code === plan?.product)?.legal ?? null
    legal.replaceChildren(make('div', isLast && legalNotice(context, facts)))
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
    plans.length > 0 ? choice.element : make('p', texts.closed.text),
    legal,
    plans.length > 0 && make('div.actions', send, trouble),
    backLink(context, 'way'),
  ])
  return {
    heading: headingOf(context, action.title),
    content: [
      ...action.messages.map((text) => make('p', text)),
      ...decisionNotice(context, summaries[0] ?? context.summary),
      form,
    ],
  }
}

/** The shopper's saved cards, one of them selected, and the card form in its frame. */
export const paymentStep = async (
  context: Context,
  action: ActionOf<'require_payment'>,
): Promise<Step> => {
  const { texts, checkout, trouble } = context
  // A reloaded page does not know the plan, and another tab may have agreed to another one.
  const summary = await checkout.summary().catch(() => context.summary)
  const plan = summary.agreed_plan ?? context.plan
  const { pay } = texts
  const place = make('div.frame')
  const hadFailed = context.hasPaymentFailed
  context.hasPaymentFailed = false
  const failed = make('p.alert', { role: 'alert', tabindex: '-1' }, hadFailed && pay.failed)
  // A new attempt: the message about the one before would lie above it.
  const forgetFailure = (): void => failed.replaceChildren()
  const callbacks = {
    paymentSubmitted: forgetFailure,
    paymentSuccessful: checkout.refresh,
    paymentFailed: () => {
      // The next attempt has a form of its own.
      context.hasPaymentFailed = true
      checkout.refresh()
    },
  }
  const mount = (url: string) => mountCardForm(place, url, callbacks, pay.frame)

  const saved = action.reusable_cards.map((card) => ({
    url: card.iframe_url,
    label: fillTemplate(pay.saved, { digits: card.last_four }),
    detail: fillTemplate(pay.expires, { expiry: card.expiry_month_year }),
  }))
  const other = { url: action.iframe_url, label: pay.other, detail: '' }
  const choices = [...saved, other]
  const selected = (hadFailed ? null : saved[0]) ?? other
  let mounted = mount(selected.url)
  const cards = choices.map((choice) => {
    const onchange = (): void => {
      forgetFailure()
      mounted.remove()
      mounted = mount(choice.url)
    }
    return make(
      'label.plan.plan-head',
      make('input', { type: 'radio', name: 'card', checked: choice === selected, onchange }),
      make('span', make('span.plan-name', `${choice.label} `), make('span.quiet', choice.detail)),
    )
  })

  return {
    heading: headingOf(context, fillTemplate(pay.title, { amount: action.amount.string })),
    content: [
      failed,
      saved.length > 0 && make('fieldset.plans', make('legend.group', pay.cards), cards),
      bindingNotice(context, plan, summary.legal),
      make('p', fillTemplate(texts.legal.binding, { today: action.amount.string })),
      place,
      trouble,
    ],
    // Keeps what the shopper is typing.
    update: (next) => next.action === 'require_payment' && next.iframe_url === action.iframe_url,
    ...(hadFailed && { focus: failed }),
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

/** Every end leads back to the shop. `decision`: says how a rejection was decided. */
export const endStep = (
  context: Context,
  action: ActionOf<keyof typeof ICONS>,
  decision?: CheckoutSummary,
): Step => {
  const name = action.action
  const { title, text } = context.texts.ends[name]
  const messages = 'messages' in action && action.messages.length > 0 ? action.messages : [text]
  return {
    lead: make('span', { class: `badge ${name}` }, icon(ICONS[name])),
    heading: headingOf(context, title),
    content: [
      ...messages.map((each) => make('p', each)),
      ...(decision ? decisionNotice(context, decision) : []),
      backLink(context),
    ],
  }
}
