// People paste what they type from address books, chats and PDFs, which put marks into it that
// nobody sees. A text is judged and compared as people see it. Contract §4, Text.

const PLAIN = /^[ -~]*$/

// Printable Latin-1 without its blank and its soft hyphen: most names and addresses in Europe. People
// see every character of such a text.
const LATIN = /^[ -~\u00a1-\u00ac\u00ae-\u00ff]*$/

// Format characters, bidi marks, variation selectors, fillers and control characters. White space
// is not among them: it separates words.
const UNSEEN = /(?:(?![\t-\r])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800])+/gu

export const withoutUnseen = (text: string): string =>
  LATIN.test(text) ? text : text.replace(UNSEEN, '')

/** False for an empty text, and for one in which people see nothing. */
export const isSeen = (text: string): boolean => withoutUnseen(text).trim() !== ''

/** A name or an address as it is stored and sent: as typed, without control and bidi characters. */
export const withoutControls = (text: string): string =>
  LATIN.test(text)
    ? text
    : text.replace(/[\t-\r\u2028\u2029]+/g, ' ').replace(/[\p{Cc}\p{Bidi_Control}]+/gu, '')

// Normalisation sorts the marks on one letter by comparing each with those before it: 30,000 marks
// take a third of a second. Unicode's own limit for such a run is thirty, and no real writing
// reaches it (UAX #15, Stream-Safe Text). Two Japanese signs become marks by NFKC.
const ENDLESS_MARKS = /[\p{M}\uff9e\uff9f]{31}/u

/** A text with more than thirty marks on one letter is returned unchanged. */
export const normalizeText = (text: string, form: 'NFC' | 'NFKC' = 'NFC'): string =>
  ENDLESS_MARKS.test(text) ? text : text.normalize(form)

/**
 * A number, a code, a date or a postal code as people see it: in NFKC, without characters that
 * nobody sees, each dash as a hyphen, and each digit of an Arabic keyboard as its ASCII digit.
 */
export const numberAsSeen = (text: string): string =>
  PLAIN.test(text)
    ? text
    : normalizeText(text.replace(UNSEEN, ''), 'NFKC')
        .replace(/[\p{Pd}\u2212]/gu, '-')
        .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) % 16))

/**
 * A name by which two submissions are compared. In small letters and then in capitals, ẞ, ß and ss
 * are alike.
 */
export const comparableName = (name: string): string =>
  numberAsSeen(
    numberAsSeen(name.replace(/[’‘ʼ′´`]/g, "'"))
      .toLowerCase()
      .toUpperCase(),
  )
    .trim()
    .replace(/\s+/g, ' ')
    .toLowerCase()

/**
 * At most `max` UTF-16 units of a text, in whole characters. Half of a surrogate pair becomes U+FFFD.
 */
export const cutText = (text: string, max: number): string =>
  (text.length > max ? text.slice(0, max).replace(/\p{Cs}$/u, '') : text).toWellFormed()

/** The beginning of a text that fits into `max` bytes of UTF-8, in whole characters. */
export const cutToBytes = (text: string, max: number): string =>
  cutText(text, new TextEncoder().encodeInto(text, new Uint8Array(max)).read)
