// Unicode can write one letter in several ways. Texts must be normalised before they are compared.

// Normalisation sorts the marks on one letter by comparing each with those before it: 30,000 marks take a third of a second.
// Unicode's own limit for such a run is thirty, and no real writing reaches it (UAX #15, Stream-Safe Text).
const ENDLESS_MARKS = /\p{M}{31}/u

/** The text in NFC. A text with more than thirty marks on one letter is returned unchanged. */
export const normalizeText = (text: string): string => (ENDLESS_MARKS.test(text) ? text : text.normalize('NFC'))
