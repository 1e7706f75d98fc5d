// A sandbox's records must not hold its user's secrets, and people type real cards and passwords by
// mistake. Card numbers show four digits, however they are written. Passwords, keys, tokens,
// cookies and card codes are left out.
import { passesLuhn } from '@plazo/adapters/sandbox'
import { numberAsSeen } from '@plazo/core/protocol'

const HIDDEN = '•••'

/** In lower case, without anything but letters and digits. */
const SECRET_NAME =
  /passw|passphrase|passcode|pwd|secret|token|credential|authori[sz]|authentication|cookie|cvc|cvv|securitycode|cardcode|key$/
/** These are part of other words, so only whole words count. */
const SECRET_WORDS = 'pass|pin|pw|auth|cid|csc|cvn|cvd'
const IS_SECRET_WORD = new RegExp(`^(?:${SECRET_WORDS})$`)
const HAS_SECRET_WORD = new RegExp(SECRET_WORDS)
const CARD_NUMBER_NAME = /^(?:card|cc|creditcard)?(?:number|no|pan)$/

const plainName = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

const isSecretName = (name: string): boolean => {
  const plain = plainName(name)
  if (plain === 'idempotencykey') return false
  if (SECRET_NAME.test(plain)) return true
  if (!HAS_SECRET_WORD.test(plain)) return false
  const words = name
    .normalize('NFKC')
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
  return words.some((word) => IS_SECRET_WORD.test(word))
}

/** How often a text may be encoded within another. */
const LEVELS = 3

/** Reads JSON. A number that would lose digits becomes a text. */
export const parseJson = (text: string): unknown =>
  JSON.parse(text, function keepDigits(
    this: unknown,
    _,
    value: unknown,
    context?: { readonly source?: string },
  ) {
    return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER
      ? context?.source
      : value
  } as Parameters<typeof JSON.parse>[1])

/** Redacts every text, number and name of a value. Members that are never recorded are left out. */
export const redact = (value: unknown, levels = LEVELS): unknown => {
  if (typeof value === 'string') return redactText(value, levels)
  if (typeof value === 'number') {
    const text = String(value)
    const redacted = maskCards(text)
    return redacted === text ? value : redacted
  }
  if (Array.isArray(value)) return value.map((each) => redact(each, levels))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => !isSecretName(name))
  // A list of pairs has the name of a secret as a value.
  const isSecretPair = members.some(
    ([name, member]) =>
      /^(?:name|key|field)$/i.test(name) && typeof member === 'string' && isSecretName(member),
  )
  return Object.fromEntries(
    members
      .filter(([name]) => !isSecretPair || plainName(name) !== 'value')
      .map(([name, member]) => [redactText(name, levels), redactMember(name, member, levels)]),
  )
}

const digitsIn = (text: string): string => numberAsSeen(text).replaceAll(/\D/g, '')

/** The card form's own field shows four digits, even if the number is mistyped. Null: as it is. */
const redactNumber = (name: string, value: string): string | null => {
  if (!CARD_NUMBER_NAME.test(plainName(name))) return null
  const digits = digitsIn(value)
  return digits.length > 4 ? `•••• ${digits.slice(-4)}` : null
}

const redactMember = (name: string, value: unknown, levels: number): unknown =>
  (typeof value === 'object' ? null : redactNumber(name, String(value))) ?? redact(value, levels)

// Too short for a card, and without a mark between a name and its value. Most texts of a body are
// like this, and a body may have thousands of them.
const NOTHING_TO_HIDE = /^[\w.-]{0,12}$/

/**
 * Hides secrets in a text, which may be JSON, a form, a header, or encoded. A text without anything
 * to hide stays as it is.
 */
export const redactText = (text: string, levels = LEVELS): string => {
  if (NOTHING_TO_HIDE.test(text)) return text
  if (levels === 0) return maskCards(hideNamed(text))
  const decoded = decode(text)
  if (decoded !== text) {
    const redacted = redactText(decoded, levels - 1)
    if (redacted !== decoded) return redacted
  }
  return maskCards(hideNamed(hideMembers(text, levels)))
}

/** Percent escapes, escapes of JSON, and character references of HTML. Invalid ones stay. */
const decode = (text: string): string =>
  text
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
      Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
    )
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replaceAll(/&#(x?)([0-9a-f]{1,6});/gi, (reference, isHex: string, code: string) => {
      const point = Number.parseInt(code, isHex === '' ? 10 : 16)
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : reference
    })

const hideMembers = (text: string, levels: number): string => {
  if (!/^[\s\uFEFF]*[[{"]/.test(text)) return text
  try {
    const value = parseJson(text)
    const redacted = JSON.stringify(redact(value, levels - 1))
    return redacted === JSON.stringify(value) ? text : redacted
  } catch {
    // It is no JSON, is cut, or is nested too deeply.
    return text
  }
}

// Each repetition has a limit, so that no text takes long.
const HEADER =
  /(?<=(?:cookie|authorization)\\{0,4}["']?\s{0,4}[:=]\s{0,4}\\{0,4}["']?)[^\s\\"'][^\r\n\\"']*/gi
const CREDENTIALS =
  /(?<=\b(?:[Bb]asic|[Bb]earer|[Dd]igest|BASIC|BEARER|DIGEST)\s{1,4})[\w+/=.~-](?=[a-z.~_-]*[A-Z0-9+/=])[\w+/=.~-]{5,}|(?<=:\/\/)[^/\s@:]*:[^/\s@]*(?=@)/g
/** The element of a document, or the part of a multipart form. */
const NAMED = [
  /(<(?<name>[\w:.-]{1,80})(?:\s[^<>]*)?>)[^<]+(?=<)/g,
  /(\bname="?(?<name>[^"\r\n;]{1,80})"?[^\r\n]{0,200}\r?\n(?:[^\r\n]{1,200}\r?\n){0,9}\r?\n)[\s\S]*?(?=\r?\n--|$)/g,
]

const hideNamed = (text: string): string => {
  let rest = text.replaceAll(HEADER, HIDDEN).replaceAll(CREDENTIALS, HIDDEN)
  for (const pattern of NAMED)
    rest = rest.replaceAll(pattern, (whole: string, lead: string, name: string) =>
      isSecretName(name) ? `${lead}${HIDDEN}` : whole,
    )
  return hidePairs(rest)
}

// Between a name and its value: in a form, a query, a header, JSON that does not parse, or a
// sentence.
const MARK = /\\{0,4}["'\]]{0,2}\s{0,4}[=:]\s{0,4}/g
const NAME_BEFORE = /(?:[\p{L}\p{N}_.[-]+[+ ])?[\p{L}\p{N}_.[\]-]+$/u
const NAME_MAX = 80
const VALUE = /\\+".*?\\+"|"(?:[^"\\]|\\.)*(?:"|$)|'[^']*(?:'|$)|[^\s&;,"'<>{}]+/y

const hidePairs = (text: string): string => {
  let hidden = ''
  let end = 0
  for (const { 0: mark, index } of text.matchAll(MARK)) {
    const [name = ''] =
      index < end
        ? []
        : (NAME_BEFORE.exec(text.slice(Math.max(end, index - NAME_MAX), index)) ?? [])
    if (name === '') continue
    VALUE.lastIndex = index + mark.length
    const [value] = VALUE.exec(text) ?? []
    const redacted = value === undefined ? null : redactedValue(name, value)
    if (value === undefined || redacted === null) continue
    hidden += text.slice(end, index + mark.length) + redacted
    end = index + mark.length + value.length
  }
  return hidden + text.slice(end)
}

const redactedValue = (name: string, value: string): string | null =>
  isSecretName(name) ? HIDDEN : redactNumber(name, value)

type Digit = {
  readonly value: number
  readonly start: number
  readonly end: number
  readonly isApart: boolean
}

const DIGIT = /\p{Nd}|\p{No}/gu
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi
const CARD_LENGTHS = { min: 13, max: 19 }
const GAP_MAX = 4

/** Null: it is no digit, as ½. */
const digitValue = (letter: string): number | null => {
  const plain = numberAsSeen(letter)
  return /^\d$/.test(plain) ? Number(plain) : null
}

/** Digits in a row, with at most a few other characters in between, and no letter. */
const digitRuns = (text: string): readonly (readonly Digit[])[] => {
  const runs: Digit[][] = []
  let last: Digit | undefined
  // The digits of a uuid are no card's.
  for (const { 0: letter, index: start } of text
    .replaceAll(UUID, (uuid) => 'u'.repeat(uuid.length))
    .matchAll(DIGIT)) {
    const value = digitValue(letter)
    if (value === null) continue
    const gap = last === undefined ? '' : text.slice(last.end, start)
    const continues = last !== undefined && gap.length <= GAP_MAX && !/[\p{L}\p{N}]/u.test(gap)
    last = { value, start, end: start + letter.length, isApart: gap !== '' }
    if (continues) runs.at(-1)?.push(last)
    else runs.push([last])
  }
  return runs
}

// Digits directly before or after a card hide where it begins, so there the length and the first
// digits must be a card's.
const isPlausible = (digits: string): boolean =>
  (digits.length === 16 && !digits.startsWith('0')) ||
  /^(?:3[47].{13}|3[0689].{12}|4.{12}|[456].{18})$/.test(digits)

type CardFound = {
  readonly from: number
  readonly to: number
  readonly digits: string
  readonly isWhole: boolean
}

const cardsIn = (run: readonly Digit[]): readonly CardFound[] => {
  const cards: CardFound[] = []
  const all = run.map(({ value }) => value).join('')
  for (let from = 0; from + CARD_LENGTHS.min <= run.length; from++)
    for (
      let length: number = CARD_LENGTHS.min;
      length <= CARD_LENGTHS.max && from + length <= run.length;
      length++
    ) {
      const to = from + length
      const isWhole =
        (from === 0 || run[from]?.isApart === true) &&
        (to === run.length || run[to]?.isApart === true)
      const digits = all.slice(from, to)
      if ((isWhole || isPlausible(digits)) && /[1-9]/.test(digits) && passesLuhn(digits))
        cards.push({ from, to, digits, isWhole })
    }
  return cards
}

/** The most likely one of those that overlap. */
const likeliest = (cards: readonly CardFound[]): CardFound | undefined =>
  cards.find(({ isWhole, digits }) => isWhole && isPlausible(digits)) ??
  cards.find(({ isWhole, digits }) => isWhole || isPlausible(digits))

/**
 * Card numbers keep their last four digits. What overlaps and might be one too is hidden with it.
 */
const maskCards = (text: string): string => {
  // Most names and numbers are too short to hold a card.
  if (text.length < CARD_LENGTHS.min) return text
  let masked = ''
  let end = 0
  for (const run of digitRuns(text)) {
    const cards = cardsIn(run)
    for (let next = 0; next < cards.length; ) {
      const first = next
      let to = 0
      for (; next === first || (cards[next]?.from ?? to) < to; next++)
        to = Math.max(to, cards[next]?.to ?? 0)
      masked += text.slice(end, run[cards[first]?.from ?? 0]?.start)
      masked += `•••• ${likeliest(cards.slice(first, next))?.digits.slice(-4)}`
      end = run[to - 1]?.end ?? end
    }
  }
  return masked + text.slice(end)
}
