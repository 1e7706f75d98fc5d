// Before shoppers agree, they must see what they buy, and every date and amount of each plan.
import type { CheckoutSummary, PlanInFull } from '@plazo/core/protocol'
import { fillTemplate, make, setAttributes } from '../../http/page/script/dom.ts'
import type { ChosenPlan } from './checkout-driver.entry.ts'
import type { Context } from './context.ts'

const ITEMS_SHOWN = 4

export const choiceOf = ({ product, instalment_count }: PlanInFull): ChosenPlan => ({
  product,
  instalment_count,
})

/** The shop, the goods and the total. `planPlace`: for the chosen plan, once a step is about it. */
export const cartCard = (
  { texts: { cart }, summary }: Pick<Context, 'texts' | 'summary'>,
  planPlace: HTMLElement,
): HTMLElement => {
  const { seller, product, items, total } = summary
  const firstItems = items.slice(0, ITEMS_SHOWN)
  const row = ({ name, quantity, total: amount }: CheckoutSummary['items'][number]) =>
    make('li', {}, [
      make('span', { class: 'name' }, [
        name === '' ? '–' : name,
        quantity !== null && make('span', { class: 'quiet' }, ` × ${quantity}`),
      ]),
      make('span', { class: 'amount' }, amount.string),
    ])
  return make('section', { class: 'card cart', 'aria-label': cart.title }, [
    make('div', { class: 'seller' }, [
      make(
        'span',
        { class: 'avatar', 'aria-hidden': 'true' },
        [...seller.trim()][0]?.toUpperCase() ?? '?',
      ),
      make('div', {}, [
        make('p', { class: 'seller-name' }, seller),
        make('p', { class: 'quiet product' }, product.title),
      ]),
    ]),
    firstItems.length > 0 && make('ul', { class: 'items' }, firstItems.map(row)),
    items.length > firstItems.length &&
      make(
        'p',
        { class: 'quiet' },
        fillTemplate(cart.more, { count: items.length - firstItems.length }),
      ),
    make('p', { class: 'total' }, [
      make('span', {}, cart.total),
      make('strong', { class: 'amount' }, total.string),
    ]),
    planPlace,
  ])
}

/** "25 Dec 2026". English without a country would be the American order of day and month. */
const dateText = (day: string, language: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'medium',
    timeZone: 'UTC',
  })

/** A longer list has several columns where there is room. */
const ROWS_MAX = 4

const schedule = (
  { texts: { plans }, summary: { language } }: Context,
  plan: PlanInFull,
): HTMLElement =>
  make(
    'ol',
    { class: plan.instalments.length > ROWS_MAX ? 'schedule long' : 'schedule' },
    plan.instalments.map(({ due, amount, is_now: isNow }) =>
      make('li', {}, [
        make('span', {}, isNow ? plans.today : dateText(due, language)),
        make('span', { class: 'amount' }, amount.string),
      ]),
    ),
  )

const terms = ({ texts: { plans } }: Context, plan: PlanInFull): HTMLElement => {
  const term = (name: string, value: string) =>
    make('div', {}, [make('dt', {}, name), make('dd', {}, value)])
  return make('dl', { class: 'terms' }, [
    term(plans.total, plan.grand_total.string),
    term(plans.cost, plan.cost_of_credit.value === 0 ? plans.free : plan.cost_of_credit.string),
    plan.annual_rate !== null && term(plans.rate, plan.annual_rate),
  ])
}

/** Every date and amount of a plan, and what it costs. */
const planDetails = (context: Context, plan: PlanInFull, attributes = {}): HTMLElement =>
  make('div', { class: 'plan-body', ...attributes }, [
    schedule(context, plan),
    terms(context, plan),
  ])

/** The plan that the shopper has chosen, next to the click that binds. */
export const planRecap = (context: Context, plan: PlanInFull): HTMLElement =>
  make('section', { class: 'plan alone', 'aria-label': context.texts.legal.plan }, [
    make(
      'div',
      { class: 'plan-head' },
      make('span', { class: 'plan-name' }, nameOf(context, plan)),
    ),
    planDetails(context, plan),
  ])

const nameOf = ({ texts: { plans } }: Context, plan: PlanInFull): string =>
  plan.instalment_count === 1
    ? fillTemplate(plans.later, { total: plan.grand_total.string })
    : fillTemplate(plans.parts, {
        count: plan.instalment_count,
        each: plan.instalment_total.string,
      })

/**
 * A choice among plans. Of one alone there is nothing to choose, so it is shown without a button.
 */
export const planChoice = (
  context: Context,
  plans: readonly PlanInFull[],
  id: string,
  onChange: (plan: PlanInFull | undefined) => void = () => {},
) => {
  const { texts } = context
  const wrong = make('p', { class: 'wrong', id: `${id}-wrong`, hidden: true }, texts.plans.wrong)
  const isAlone = plans.length === 1
  const first = Math.max(
    0,
    plans.findIndex((plan) => plan.default),
  )
  const radios = plans.map((_, index) =>
    make('input', {
      type: 'radio',
      name: id,
      value: String(index),
      checked: index === first,
      'aria-describedby': `${id}-${index} ${id}-wrong`,
    }),
  )
  const chosenPlan = (): PlanInFull | undefined => plans[radios.findIndex(({ checked }) => checked)]
  for (const radio of radios)
    radio.addEventListener('change', () => {
      markWrong(false)
      onChange(chosenPlan())
    })
  const markWrong = (isWrong: boolean): void => {
    wrong.hidden = !isWrong
    for (const radio of radios) setAttributes(radio, { 'aria-invalid': isWrong && 'true' })
  }
  const cards = plans.map((plan, index) => {
    const today = plan.down_payment_total
    const head = make(isAlone ? 'div' : 'label', { class: 'plan-head' }, [
      !isAlone && (radios[index] ?? null),
      make('span', {}, [
        make('span', { class: 'plan-name' }, nameOf(context, plan)),
        make('span', { class: 'quiet' }, [
          today.value === 0
            ? texts.plans.nothingToday
            : fillTemplate(texts.plans.dueToday, { today: today.string }),
        ]),
      ]),
    ])
    return make('div', { class: isAlone ? 'plan alone' : 'plan' }, [
      head,
      planDetails(context, plan, { id: `${id}-${index}` }),
    ])
  })
  const element = make('fieldset', { class: 'plans' }, [
    make('legend', { class: 'group' }, isAlone ? texts.plans.title : texts.plans.choose),
    ...cards,
    wrong,
  ])
  return {
    element,
    chosenPlan,
    markWrong,
    focus: (): void => (radios.find(({ checked }) => checked) ?? radios[0])?.focus(),
  }
}
