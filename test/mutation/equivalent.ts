// Mutants that no test can detect, because their change has no visible effect. docs/mutation.md.

type Equivalent = {
  /** Relative to packages/core/src. */
  readonly file: string
  /** A part of the changed line. */
  readonly line: string
  /** What the mutants have instead. */
  readonly replacements: readonly string[]
  readonly why: string
}

export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: 'delivery/attempt.ts',
    line: 'if (body === null ||',
    replacements: ['false'],
    why: 'A body that is null would be refused when it is parsed.',
  },
  {
    file: 'delivery/attempt.ts',
    line: 'text.length < SURELY_FITS',
    replacements: ['false'],
    why: 'A short text is cut to its whole length; it only takes longer.',
  },
  {
    file: 'delivery/attempt.ts',
    line: 'text.length < SURELY_FITS',
    replacements: ['text.length <= SURELY_FITS'],
    why: 'A third of 16 KiB is no whole number: no length is equal to it.',
  },
  {
    file: 'delivery/schedule.ts',
    line: "text.endsWith('GMT')",
    replacements: ["text.startsWith('GMT')"],
    why: 'A date with GMT said twice is read as with GMT said once.',
  },
  {
    file: 'protocol/cancel-answer.ts',
    line: '} catch {',
    replacements: ['{}'],
    why: 'A function that returns nothing returns undefined.',
  },
  {
    file: 'protocol/cancel-answer.ts',
    line: 'minutes === null ? null',
    replacements: ['false'],
    why: 'The codec has refused the minutes that would be null.',
  },
  {
    file: 'protocol/credit-product.ts',
    line: 'first_instalment: first + fee',
    replacements: ['total - costOfCredit'],
    why: 'No product that is due whole at once has a fee.',
  },
  {
    file: 'protocol/webhook-event.ts',
    line: '(a < b ? -1 : 1)',
    replacements: ['a <= b'],
    why: 'No two names of one record are equal.',
  },
  {
    file: 'protocol/identification-form.ts',
    line: 'const daysOfMonth = daysIn(',
    replacements: ['false', '"Stryker was here!"'],
    why: 'The year 0 is a leap year like 1980.',
  },
  {
    file: 'protocol/identification-form.ts',
    line: 'const likelyDay =',
    replacements: ['false', '"Stryker was here!"'],
    why: 'The day 0 is as kind as the 1st: neither is ahead of any day.',
  },
  {
    file: 'protocol/identification-form.ts',
    line: 'const yearIsWrong =',
    replacements: ['true', '"Stryker was here!"'],
    why: 'Whoever was born in the year 0 is eighteen.',
  },
  {
    file: 'protocol/identification-form.ts',
    line: 'if (!CreditAgreement.is(given))',
    replacements: ['false'],
    why: 'What is of the wrong shape is offered by nobody.',
  },
  {
    file: 'protocol/identification-form.ts',
    line: "const { dob_day: day = ''",
    replacements: ['"Stryker was here!"'],
    why: 'What is no number is neither too small nor too large.',
  },
  {
    file: 'protocol/identification-form.ts',
    line: 'return agreement === undefined ||',
    replacements: ['false'],
    why: 'An agreement that is not offered is among the errors; the compiler does not know.',
  },
  {
    file: 'protocol/language.ts',
    line: "(given ?? '')",
    replacements: ['"Stryker was here!"'],
    why: 'It is no language either.',
  },
  {
    file: 'protocol/language.ts',
    line: 'const key =',
    replacements: ['"Stryker was here!"'],
    why: 'It only names a place in the cache.',
  },
  {
    file: 'protocol/order-payload.ts',
    line: 'diff < 0n',
    replacements: ['diff <= 0n'],
    why: 'A difference of 0 is not visible.',
  },
  {
    file: 'order/copy-order.ts',
    line: 'referenceIsTaken: false',
    replacements: ['true'],
    why: 'An order asks for no reference when it is placed.',
  },
  {
    file: 'order/effects/effect.ts',
    line: 'const KEY = ',
    replacements: ['/(?<orderRef>.+):(?<revision>\\d{1,15}):(?<lane>[^:]+)$/s'],
    why: 'The first part matches any beginning. Without the anchor, a long text that is no key only takes longer.',
  },
  {
    file: 'order/machine/order-setup.ts',
    line: 'types: {',
    replacements: ['{}'],
    why: 'XState reads only the type of this value.',
  },
  {
    file: 'order/machine/order-setup.ts',
    line: 'otp.issuedAt !== null && ',
    replacements: ['true'],
    why: 'Null counts as the year 1970, so the pause after it is over.',
  },
]
