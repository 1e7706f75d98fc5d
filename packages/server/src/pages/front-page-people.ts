// The people who buy in the demo shop: one for each trigger, so that every outcome can be seen with one click. Contract §8.
import { TRIGGERS } from '@plazo/adapters/sandbox'

export type DemoPerson = {
  readonly surnames: string
  readonly name: string
  /** Two or three words next to the name. */
  readonly fate: string
  readonly outcome: string
  /** The product with which the outcome shows. */
  readonly product: string | null
}

type Words = Omit<DemoPerson, 'surnames'>

const words = (name: string, fate: string, outcome: string, product: string | null = null): Words => ({
  name,
  fate,
  outcome,
  product,
})

const WORDS: Readonly<Record<string, Words>> = {
  'review event': words('Luis', 'on hold', 'An operator must decide before the order goes on.'),
  'denial event': words('Eva', 'denied', 'The screening denies the purchase.'),
  'alternative event': words('Noa', 'another plan', 'The screening offers to pay later instead.'),
  'verification event': words('Marc', 'ID check', 'An ID check begins, and succeeds after two seconds.'),
  'unverified event': words('Iker', 'ID check fails', 'An ID check begins, and fails after two seconds.'),
  'identity event': words('Sara', 'ID check waits', 'An ID check begins, and you choose its result.'),
  'expiry event': words('Pau', 'no answer', 'The screening never answers, and expires.'),
  'failure event': words('Nil', 'an error', 'The screening fails with an error.'),
  'lowrisk event': words('Julia', 'low risk', 'The shop is notified of a low risk after the payment.', 'fp1'),
  'highrisk event': words('Hugo', 'high risk', 'The shop is notified of a high risk after the payment.', 'fp1'),
  'evaluation event': words('Vera', 'risk unclear', 'The risk is under evaluation, and low a minute later.', 'fp1'),
  'cancellation event': words(
    'Joan',
    'cancels later',
    'The shop is asked to cancel ten seconds after the confirmation.',
  ),
}

/** Without a trigger, everything is approved. */
export const DEMO_PEOPLE: readonly DemoPerson[] = [
  { surnames: 'García Ruiz', ...words('Ana', 'approved', 'Everything is approved after a second.') },
  ...TRIGGERS.map(({ surnames, note }) => ({
    surnames,
    ...(WORDS[surnames] ?? words(surnames, note, note)),
  })),
]
