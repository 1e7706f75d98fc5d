// Before shoppers agree, they must see what they buy, and every date and amount of each plan.
import type { CheckoutSummary, PlanInFull } from '@plazo/core/internal'
import { fillTemplate, make, setAttributes } from '../../http/page/script/dom.ts'
import type { ChosenPlan } from './checkout-driver.entry.ts'
import type { Context } from './context.ts'

const ITEMS_SHOWN = 4

export const choiceOf = ({ product, instalment_count }: PlanInFull): ChosenPlan => ({
  product,
  instalment_count,
})

/** The shop, the goods and the total. */
export const cartCard = ({ texts: { cart }, summary }: Context): HTMLElement => {
  const { seller, product, items, total } = summary
  const row = ({ name, quantity, total: amount }: CheckoutSummary['items'][number]) =>
    make(
      'li',
      make('span', name || '–', quantity !== null && make('span.quiet', ` × ${quantity}`)),
      make('span.amount', amount.string),
    )
  const more = items.length - ITEMS_SHOWN
  return make(
    'section.card.cart',
    { 'aria-label': cart.title },
    make(
      'div.seller',
      make('span.avatar', { 'aria-hidden': 'true' }, [...seller.trim()][0]?.toUpperCase() ?? '?'),
      make('div', make('p.seller-name', seller), make('p.quiet.product', product.title)),
    ),
    items.length > 0 && make('ul.items', items.slice(0, ITEMS_SHOWN).map(row)),
    more > 0 && make('p.quiet', fillTemplate(cart.more, { count: more })),
    make('p.total', make('span', cart.total), make('strong.amount', total.string)),
  )
}

/** "25 Dec 2026". English without a country would be the American order of day and month. */
const dateText = (day: string, language: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'medium',
    timeZone: 'UTC',
  })

/** A longer list has several columns where there is room. */
const ROWS_MAX = 4

/** Every date and amount of a plan, and what it costs. */
const planDetails = (
  { texts: { plans }, summary: { language } }: Context,
  plan: PlanInFull,
  attributes = {},
): HTMLElement => {
  const term = (name: string, value: string) => make('div', make('dt', name), make('dd', value))
  return make(
    'div.plan-body',
    attributes,
    make(
      plan.instalments.length > ROWS_MAX ? 'ol.schedule.long' : 'ol.schedule',
      plan.instalments.map(({ due, amount, is_now: isNow }) =>
        make(
          'li',
          make('span', isNow ? plans.today : dateText(due, language)),
          make('span.amount', amount.string),
        ),
      ),
    ),
    make(
      'dl.terms',
      term(plans.total, plan.grand_total.string),
      plan.annual_rate !== null && [
        term(plans.cost, plan.cost_of_credit.string),
        term(plans.rate, plan.annual_rate),
      ],
    ),
  )
}

/** The plan that the shopper has chosen, next to the click that binds. */
export const planRecap = (context: Context, plan: PlanInFull): HTMLElement =>
  make(
    'section.plan.alone',
    { 'aria-label': context.texts.legal.plan },
    make('div.plan-head', make('span.plan-name', nameOf(context, plan))),
    planDetails(context, plan),
  )

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
  onChange: (plan: PlanInFull | undefined) => void,
) => {
  const { texts } = context
  const wrong = make('p.wrong', { id: `${id}-wrong` })
  const isAlone = plans.length === 1
  let chosen = plans.find((plan) => plan.default) ?? plans[0]
  const markWrong = (isWrong: boolean): void => {
    wrong.textContent = isWrong ? texts.plans.wrong : ''
    for (const radio of element.querySelectorAll('input'))
      setAttributes(radio, { 'aria-invalid': isWrong && 'true' })
  }
  const cards = plans.map((plan, index) => {
    const radio = make('input', {
      type: 'radio',
      name: id,
      checked: plan === chosen,
      'aria-describedby': `${id}-${index} ${id}-wrong`,
      onchange: () => {
        chosen = plan
        markWrong(false)
        onChange(plan)
      },
    })
    const today = plan.down_payment_total
    const dueToday =
      today.value === 0
        ? texts.plans.nothingToday
        : fillTemplate(texts.plans.dueToday, { today: today.string })
    return make(
      isAlone ? 'div.plan.alone' : 'div.plan',
      make(
        isAlone ? 'div.plan-head' : 'label.plan-head',
        !isAlone && radio,
        make('span', make('span.plan-name', nameOf(context, plan)), make('span.quiet', dueToday)),
      ),
      planDetails(context, plan, { id: `${id}-${index}` }),
    )
  })
  const element = make(
    'fieldset.plans',
    make('legend.group', isAlone ? texts.plans.title : texts.plans.choose),
    cards,
    wrong,
  )
  return { element, chosenPlan: () => chosen, markWrong }
}
