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
const SECRET_WORD = /^(?:pass|pin|pw|auth|cid|csc|cvn|cvd)$/
const CARD_NUMBER_NAME = /^(?:card|cc|creditcard)?(?:number|no|pan)$/

/** What a name says about its value. Null: nothing. */
const kindOf = (name: string): 'secret' | 'card number' | null => {
  const words = name
    .normalize('NFKC')
    .replaceAll(/([a-z])(?=[A-Z])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  const plain = words.join('')
  if (plain === 'idempotencykey') return null
  if (SECRET_NAME.test(plain) || words.some((word) => SECRET_WORD.test(word))) return 'secret'
  return CARD_NUMBER_NAME.test(plain) ? 'card number' : null
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
    const masked = maskCards(String(value))
    return masked === String(value) ? value : masked
  }
  if (Array.isArray(value)) return value.map((each) => redact(each, levels))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => ({
    name,
    kind: kindOf(name),
    member,
  }))
  // A list of pairs has the name of a secret as a value.
  const isSecretPair = members.some(
    ({ name, member }) =>
      /^(?:name|key|field)$/i.test(name) &&
      typeof member === 'string' &&
      kindOf(member) === 'secret',
  )
  return Object.fromEntries(
    members.flatMap(({ name, kind, member }) => {
      if (kind === 'secret' || (isSecretPair && /^\W*value\W*$/i.test(name))) return []
      const isNumber = kind === 'card number' && typeof member !== 'object'
      const digits = isNumber ? shortenNumber(String(member)) : null
      return [[redactText(name, levels), digits ?? redact(member, levels)]]
    }),
  )
}

/** The card form's own field shows four digits, even if the number is mistyped. Null: as it is. */
const shortenNumber = (value: string): string | null => {
  const digits = numberAsSeen(value).replaceAll(/\D/g, '')
  return digits.length > 4 ? showFour(digits) : null
}

const showFour = (digits: string): string => `•••• ${digits.slice(-4)}`

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
      kindOf(name) === 'secret' ? `${lead}${HIDDEN}` : whole,
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
    if (index < end) continue
    const before = text.slice(Math.max(end, index - NAME_MAX), index)
    const kind = kindOf(NAME_BEFORE.exec(before)?.[0] ?? '')
    if (kind === null) continue
    VALUE.lastIndex = index + mark.length
    const [value = ''] = VALUE.exec(text) ?? []
    const redacted = kind === 'secret' ? HIDDEN : shortenNumber(value)
    if (value === '' || redacted === null) continue
    hidden += text.slice(end, index + mark.length) + redacted
    end = index + mark.length + value.length
  }
  return hidden + text.slice(end)
}

const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}'
/**
 * Enough digits for a card, of any script, with at most a few other characters between two of them,
 * and no letter. The digits of a uuid are no card's.
 */
const DIGITS = new RegExp(`${UUID}|\\p{N}(?:[^\\p{L}\\p{N}]{0,4}(?!${UUID})\\p{N}){12,}`, 'giu')
const CARD_LENGTHS = [13, 14, 15, 16, 17, 18, 19]

// Digits directly before or after a card hide where it begins, so there the length and the first
// digits must be a card's.
const isPlausible = (digits: string): boolean =>
  (digits.length === 16 && !digits.startsWith('0')) ||
  /^(?:3[47].{13}|3[0689].{12}|4.{12}|[456].{18})$/.test(digits)

/**
 * Card numbers keep their last four digits. What overlaps and might be one too is hidden with it.
 */
const maskCards = (text: string): string =>
  text.replaceAll(DIGITS, (found) =>
    /^[^-]{8}-[^-]{4}-[^-]{4}-[^-]{4}-/.test(found) ? found : maskDigits(found),
  )

type CardFound = {
  readonly from: number
  readonly to: number
  readonly number: string
  readonly isLikely: boolean
}

const maskDigits = (text: string): string => {
  const digits = [...text.matchAll(/\p{N}/gu)].flatMap(({ 0: letter, index: start }) => {
    const value = numberAsSeen(letter)
    // ½ is none.
    return /^\d$/.test(value) ? [{ value, start, end: start + letter.length }] : []
  })
  const all = digits.map(({ value }) => value).join('')
  const isEdge = (at: number): boolean => digits[at]?.start !== digits[at - 1]?.end
  const cards: CardFound[] = []
  for (let from = 0; from < all.length; from++)
    for (const length of CARD_LENGTHS) {
      const to = from + length
      if (to > all.length) break
      const number = all.slice(from, to)
      const isWhole = isEdge(from) && isEdge(to)
      if ((isWhole || isPlausible(number)) && /[1-9]/.test(number) && passesLuhn(number))
        cards.push({ from, to, number, isLikely: isWhole && isPlausible(number) })
    }
  let masked = ''
  let end = 0
  for (let first = cards.shift(); first !== undefined; first = cards.shift()) {
    const overlapping = [first]
    let { to } = first
    for (let [next] = cards; next !== undefined && next.from < to; [next] = cards) {
      overlapping.push(next)
      to = Math.max(to, next.to)
      cards.shift()
    }
    const card = overlapping.find(({ isLikely }) => isLikely) ?? first
    masked += text.slice(end, digits[first.from]?.start) + showFour(card.number)
    end = digits[to - 1]?.end ?? end
  }
  return masked + text.slice(end)
}
