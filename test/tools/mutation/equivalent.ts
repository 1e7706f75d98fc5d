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
    why: 'A short text is never cut. Without the shortcut, this only takes longer.',
  },
  {
    file: 'delivery/attempt.ts',
    line: 'text.length < SURELY_FITS',
    replacements: ['text.length <= SURELY_FITS'],
    why: 'A third of 16 KiB is not a whole number, so no length equals it.',
  },
  {
    file: 'delivery/schedule.ts',
    line: "text.endsWith('GMT')",
    replacements: ["text.startsWith('GMT')"],
    why: 'A date that ends in GMT twice is read like one that ends in GMT once.',
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
    why: 'The codec has already refused minutes that would be null.',
  },
  {
    file: 'protocol/credit-product.ts',
    line: 'first_instalment: first + fee',
    replacements: ['total - costOfCredit'],
    why: 'A product that is paid in one amount has no fee.',
  },
  {
    file: 'protocol/webhook-event.ts',
    line: '(a < b ? -1 : 1)',
    replacements: ['a <= b'],
    why: 'A record has no two equal names.',
  },
  {
    file: 'protocol/identification-form.ts',
    line: 'const daysOfMonth = daysIn(',
    replacements: ['false', '"Stryker was here!"'],
    why: 'Without a year, the year 0 is used. It is a leap year, like 1980.',
  },
  {
    file: 'protocol/identification-form.ts',
    line: 'const yearIsWrong =',
    replacements: ['true', '"Stryker was here!"'],
    why: 'Without a year, the year 0 is used. A person born in it is over eighteen.',
  },
  {
    file: 'protocol/identification-form.ts',
    line: 'if (!CreditAgreement.is(value))',
    replacements: ['false'],
    why: 'An agreement of the wrong shape is never offered, so it is refused anyway.',
  },
  {
    file: 'protocol/identification-form.ts',
    line: 'return agreement === undefined ||',
    replacements: ['false'],
    why: 'An agreement that is not offered is also one of the errors. Only the compiler needs this check.',
  },
  {
    file: 'protocol/language.ts',
    line: "(text ?? '')",
    replacements: ['"Stryker was here!"'],
    why: 'That text is not a language either.',
  },
  {
    file: 'protocol/language.ts',
    line: "(tag ?? '')",
    replacements: ['"Stryker was here!"'],
    why: 'That text is not a language either.',
  },
  {
    file: 'protocol/language.ts',
    line: 'const key =',
    replacements: ['"Stryker was here!"'],
    why: 'The text is only a key of the cache.',
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
    why: 'A new order requests no reference.',
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
    file: 'order/machine/guards.ts',
    line: 'otp.issuedAt !== null && ',
    replacements: ['true'],
    why: 'Null counts as the year 1970, so the pause after it is over.',
  },
]
