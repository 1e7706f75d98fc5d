// People paste numbers, codes and dates with marks that nobody sees, and some type the digits of
// another script. The endpoints take five ASCII digits as a code, so the pages clean what was
// typed. Core has the same rule in a file that needs newer browsers. Contract §4, Text.

// White space is not among them: it separates words.
const UNSEEN = /(?:(?![\t-\r])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800])+/gu
const ENDLESS_MARKS = /[\p{M}\uff9e\uff9f]{31}/u
const DASH = /[\p{Dash}\u02d7\u2043\u2500\u2501\u30fc]/gu

const isDigit = (code: number): boolean => /^\p{Nd}$/u.test(String.fromCodePoint(code))

// Unicode has the digits of each script in one run, from 0 to 9.
const digitOf = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  let value = 0
  while (isDigit(code - value - 1)) value++
  return String(value % 10)
}

export const numberAsSeen = (typed: string): string => {
  const visible = typed.replace(UNSEEN, '')
  const text = ENDLESS_MARKS.test(visible) ? visible : visible.normalize('NFKC')
  return text.replace(DASH, '-').replace(/\p{Nd}/gu, digitOf)
}

/**
 * The digits and letters of a code or a card number, without the blanks and hyphens between them.
 */
export const withoutSeparators = (typed: string): string =>
  numberAsSeen(typed).replace(/[\s-]/g, '')
