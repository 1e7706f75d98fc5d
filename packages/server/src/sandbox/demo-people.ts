// The people who buy in the demo shop have names, because pages and the command line call them so.
// Each takes the path of the trigger that is their surnames.

/** `product`: the one with which the outcome shows. */
type Row = readonly [surnames: string, name: string, outcome: string, product?: string]

const ROWS: readonly Row[] = [
  ['García Ruiz', 'Ana', 'is approved after a second'],
  ['review event', 'Luis', 'is held until an operator decides'],
  ['denial event', 'Eva', 'is denied'],
  ['alternative event', 'Noa', 'is offered to pay later instead'],
  ['verification event', 'Marc', 'passes an ID check'],
  ['unverified event', 'Iker', 'fails an ID check'],
  ['identity event', 'Sara', 'has an ID check whose result you choose'],
  ['expiry event', 'Pau', 'waits for a screening that never answers'],
  ['failure event', 'Nil', 'meets an error in the screening'],
  ['lowrisk event', 'Julia', 'has a low risk after the payment', 'fp1'],
  ['highrisk event', 'Hugo', 'has a high risk after the payment', 'fp1'],
  ['evaluation event', 'Vera', 'has a low risk after a minute of evaluation', 'fp1'],
  ['cancellation event', 'Joan', 'wants to cancel ten seconds after the confirmation'],
]

/**
 * The people who buy in the demo shop: one for each trigger, so that every outcome can be seen with
 * one click. Sandbox rules, Triggers.
 */
export const DEMO_PEOPLE = ROWS.map(([surnames, name, outcome, product]) => ({
  surnames,
  name,
  outcome,
  product,
}))

export type DemoPerson = (typeof DEMO_PEOPLE)[number]

/**
 * The demo shop's cart, in cents. It is large enough that the fees of a plan are a usual annual
 * rate.
 */
export const DEMO_CART = [
  { name: 'City bike', total_with_tax: 84_900 },
  { name: 'Helmet', total_with_tax: 5_100 },
] as const

export const DEMO_CARD = { number: '4111111111111111', expiry: '12/40', cvc: '123' }
