// The people who buy in the demo shop have names, because pages and the command line call them so.
// Each takes the path of one trigger, or of none.

/** `fate`: two or three words next to the name. `product`: the one with which the outcome shows. */
type Person = readonly [name: string, fate: string, outcome: string, product?: string]

const PEOPLE: Readonly<Record<string, Person>> = {
  'García Ruiz': ['Ana', 'approved', 'Everything is approved after a second.'],
  'review event': ['Luis', 'on hold', 'An operator must decide before the order goes on.'],
  'denial event': ['Eva', 'denied', 'The screening denies the purchase.'],
  'alternative event': ['Noa', 'another plan', 'The screening offers to pay later instead.'],
  'verification event': ['Marc', 'ID check', 'An ID check begins, and succeeds after two seconds.'],
  'unverified event': [
    'Iker',
    'ID check fails',
    'An ID check begins, and fails after two seconds.',
  ],
  'identity event': ['Sara', 'ID check waits', 'An ID check begins, and you choose its result.'],
  'expiry event': ['Pau', 'no answer', 'The screening never answers, and expires.'],
  'failure event': ['Nil', 'an error', 'The screening fails with an error.'],
  'lowrisk event': [
    'Julia',
    'low risk',
    'The shop is notified of a low risk after the payment.',
    'fp1',
  ],
  'highrisk event': [
    'Hugo',
    'high risk',
    'The shop is notified of a high risk after the payment.',
    'fp1',
  ],
  'evaluation event': [
    'Vera',
    'risk unclear',
    'The risk is under evaluation, and low a minute later.',
    'fp1',
  ],
  'cancellation event': [
    'Joan',
    'cancels later',
    'The shop is asked to cancel ten seconds after the confirmation.',
  ],
}

export type DemoPerson = (typeof DEMO_PEOPLE)[number]

/**
 * The people who buy in the demo shop: one for each trigger, so that every outcome can be seen with
 * one click. Sandbox rules, Triggers.
 */
export const DEMO_PEOPLE = Object.entries(PEOPLE).map(
  ([surnames, [name, fate, outcome, product]]) => ({ surnames, name, fate, outcome, product }),
)

/**
 * The demo shop's cart, in cents. It is large enough that the fees of a plan are a usual annual
 * rate.
 */
export const DEMO_CART = [
  { name: 'City bike', total_with_tax: 84_900 },
  { name: 'Helmet', total_with_tax: 5_100 },
] as const
