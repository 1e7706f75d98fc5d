// Before the click that binds, shoppers must see who lends, on which conditions, and how they may
// withdraw from it. After a rejection they must see whether a person decided. Contract §4, Law.
import type { CheckoutSummary, PlanInFull } from '@plazo/core/internal'
import { type Child, make } from '../../http/page/script/dom.ts'
import { type Context, newTab } from './context.ts'
import { planRecap } from './plans.ts'

/** Nothing is paid by card afterwards, so the click that sends this plan is the last one. */
export const isLastClick = (plan: PlanInFull): boolean => plan.down_payment_total.value === 0

/** The operator gives a text or a URL. */
const contactOf = (contact: string): Child =>
  /^https?:\/\//i.test(contact) ? newTab(contact, contact) : contact

/** `legal`: that of the product that the click buys. */
export const legalNotice = (
  { texts: { legal: words } }: Context,
  legal: CheckoutSummary['legal'],
): HTMLElement | null => {
  if (legal === null) return null
  const { lender, withdrawal, contact, conditions_url, pre_contract_url } = legal
  const row = (name: string, content: Child) => make('div', make('dt', name), make('dd', content))
  return make(
    'section.legal',
    { 'aria-label': words.title },
    make('p.group', words.title),
    make(
      'dl',
      row(
        withdrawal === undefined ? words.provider : words.lender,
        `${lender.name}\n${lender.address}\n${lender.supervisor}`,
      ),
      withdrawal !== undefined && row(words.withdrawal, withdrawal),
      row(words.person, contactOf(contact)),
    ),
    make(
      'p.documents',
      conditions_url !== undefined && newTab(conditions_url, words.conditions),
      pre_contract_url !== undefined && newTab(pre_contract_url, words.preContract),
    ),
  )
}

/** What a shopper must see next to the click that binds: the plan and who lends. */
export const bindingNotice = (
  context: Context,
  plan: PlanInFull | null,
  legal: CheckoutSummary['legal'],
): HTMLElement => make('div.binding', plan && planRecap(context, plan), legalNotice(context, legal))

/**
 * How it was decided that the shopper may not have what they asked for, and where to ask for a
 * person.
 */
export const decisionNotice = (
  { texts: { rejection: words } }: Context,
  { rejection, legal }: CheckoutSummary,
): readonly Child[] => {
  if (rejection === null) return []
  return [
    make('p', rejection.automated ? words.automated : words.byPerson),
    legal && make('p', `${words.contact} `, contactOf(legal.contact)),
  ]
}
