// People paste what they type from address books, chats and PDFs, which put marks into it that
// nobody sees. A text is judged and compared as people see it. Contract §4, Text.

const PLAIN = /^[ -~]*$/

// Printable Latin-1 without its blank and its soft hyphen: most names and addresses in Europe. People
// see every character of such a text.
const LATIN = /^[ -~\u00a1-\u00ac\u00ae-\u00ff]*$/

/** True for printable ASCII. Most texts are, and need none of the rest. */
export const isPrintableAscii = (text: string): boolean => PLAIN.test(text)

// Format characters, bidi marks, variation selectors, fillers and control characters. White space
// is not among them: it separates words.
const UNSEEN = /(?:(?![\t-\r])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800])+/gu
const SEEN = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u

/** False for an empty text, and for one in which people see nothing. */
export const isSeen = (text: string): boolean => SEEN.test(text)

export const withoutUnseen = (text: string): string =>
  LATIN.test(text) ? text : text.replace(UNSEEN, '')

/** A name or an address as it is stored and sent: as typed, without control and bidi characters. */
export const withoutControls = (text: string): string =>
  LATIN.test(text)
    ? text
    : text.replace(/[\t-\r]+/g, ' ').replace(/[\p{Cc}\p{Bidi_Control}]+/gu, '')

// Normalisation sorts the marks on one letter by comparing each with those before it: 30,000 marks
// take a third of a second. Unicode's own limit for such a run is thirty, and no real writing
// reaches it (UAX #15, Stream-Safe Text). Two Japanese signs become marks by NFKC.
const ENDLESS_MARKS = /[\p{M}\uff9e\uff9f]{31}/u

const normalizeIn = (text: string, form: 'NFC' | 'NFKC'): string =>
  ENDLESS_MARKS.test(text) ? text : text.normalize(form)

/** The text in NFC. A text with more than thirty marks on one letter is returned unchanged. */
export const normalizeText = (text: string): string => normalizeIn(text, 'NFC')

// The last five look like dashes, and keyboards have them: ˗ ⁃ ─ ━ and the ー of Japanese.
const DASH = /[\p{Dash}\u02d7\u2043\u2500\u2501\u30fc]/gu

const isDigit = (code: number): boolean => /^\p{Nd}$/u.test(String.fromCodePoint(code))

// Unicode has the digits of each script in one run, from 0 to 9.
const digitOf = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  let value = 0
  while (isDigit(code - value - 1)) value++
  return String(value % 10)
}

/**
 * A number, a code, a date or a postal code as people see it: in NFKC, without characters that
 * nobody sees, each dash as a hyphen, and each decimal digit as its ASCII digit.
 */
export const numberAsSeen = (text: string): string => {
  if (PLAIN.test(text)) return text
  const number = normalizeIn(text.replace(UNSEEN, ''), 'NFKC')
  return PLAIN.test(number) ? number : number.replace(DASH, '-').replace(/\p{Nd}/gu, digitOf)
}

// ` ´ ʹ ʻ ʼ ʽ ʾ ʿ ˈ ˊ ˋ ΄ ՚ ׳ ߴ ߵ ᾽ ᾿ ῾ ` ´ ‘ ’ ‛ ′ ‵ ❛ ❜ Ꞌ ꞌ ＇ ｀
const APOSTROPHE =
  /[\u0060\u00b4\u02b9\u02bb-\u02bf\u02c8\u02ca\u02cb\u0374\u0384\u055a\u05f3\u07f4\u07f5\u1fbd\u1fbf\u1fef\u1ffd\u1ffe\u2018\u2019\u201b\u2032\u2035\u275b\u275c\ua78b\ua78c\uff07\uff40]/g

/** A name by which two submissions are compared. */
export const comparableName = (name: string): string =>
  normalizeText(withoutUnseen(name).replace(APOSTROPHE, "'"))
    .trim()
    .replace(/\s+/gu, ' ')
    .toLowerCase()

// A browser without segmenters cuts no texts, and must not have to make one.
const letters = /* @__PURE__ */ new Intl.Segmenter('en')

/** A letter of more UTF-16 units than this is no letter of people: it is cut like a text. */
const LETTER_MAX = 64

/**
 * At most `max` UTF-16 units of a text, in whole letters as people see them. Half of a surrogate
 * pair becomes U+FFFD.
 */
export const cutText = (text: string, max: number): string => {
  if (text.length <= max) return text.toWellFormed()
  const beginning = text.slice(0, max + LETTER_MAX).toWellFormed()
  const cut = letters.segment(beginning).containing(max)?.index ?? max
  return cut > max - LETTER_MAX ? beginning.slice(0, cut) : withoutHalf(beginning.slice(0, max))
}

/** The beginning of a text that fits into `max` bytes of UTF-8, in whole letters. */
export const cutToBytes = (text: string, max: number): string => {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(max))
  return read < text.length ? cutText(text, read) : text
}

const withoutHalf = (text: string): string => (text.isWellFormed() ? text : text.slice(0, -1))
