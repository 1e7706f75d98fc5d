// A text as it is compared: the same however its letters were composed.

// Marks are brought into one order by comparing each with those before it, on the same letter: 30,000 of them take a third of a
// second. Unicode's own bound for such a run, which no writing reaches, is thirty (UAX #15, Stream-Safe Text).
const ENDLESS_MARKS = /\p{M}{31}/u

/** NFC. A text with more than thirty marks on one letter is left as it is written. */
export const composed = (text: string): string => (ENDLESS_MARKS.test(text) ? text : text.normalize('NFC'))
