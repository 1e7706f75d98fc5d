// Mutants that no test can notice, because nothing that anybody sees depends on what they change. docs/mutation.md.

export type Equivalent = {
  /** Below packages/core/src. */
  readonly file: string
  /** A part of the line that is changed. */
  readonly line: string
  /** What stands there instead. */
  readonly replacement: string
  readonly why: string
}

export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: 'delivery/acceptance.ts',
    line: 'if (body === null ||',
    replacement: 'false',
    why: 'A body that is null would be refused when it is parsed.',
  },
  {
    file: 'delivery/attempt.ts',
    line: 'text.length < SURELY_FITS',
    replacement: 'false',
    why: 'A short text is cut to its whole length; it only takes longer.',
  },
  {
    file: 'delivery/attempt.ts',
    line: 'text.length < SURELY_FITS',
    replacement: 'text.length <= SURELY_FITS',
    why: 'A third of 16 KiB is no whole number: no length is equal to it.',
  },
  {
    file: 'delivery/schedule.ts',
    line: "text.endsWith('GMT')",
    replacement: "text.startsWith('GMT')",
    why: 'A date with GMT said twice is read as with GMT said once.',
  },
]
