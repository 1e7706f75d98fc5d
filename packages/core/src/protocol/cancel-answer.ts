// What a merchant may answer to the cancel event. Interface §6.1, contract §6.

export type CancelAnswer =
  | { readonly result: 'cancelled' }
  /** Whole minutes; `null` when absent or ambiguous, which ends the negotiation all the same. */
  | { readonly result: 'toolate'; readonly lateByMinutes: number | null }
  | { readonly result: 'retry'; readonly retryInMinutes: number }

export const RETRY_IN_MINUTES_MAX = 1440

const isWholeNumber = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** JSON by parsing, whatever its Content-Type; one byte order mark is stripped. `undefined`: not JSON at all. */
export const parseAnswer = (body: string): unknown => {
  try {
    return JSON.parse(body.startsWith('\uFEFF') ? body.slice(1) : body)
  } catch {
    return undefined
  }
}

export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const ownMember = (answer: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(answer, name) ? answer[name] : undefined

const retryInMinutes = (given: unknown): number | null => {
  const minutes = typeof given === 'string' && /^\d{1,4}$/.test(given) ? Number(given) : given
  return isWholeNumber(minutes) && minutes >= 1 && minutes <= RETRY_IN_MINUTES_MAX ? minutes : null
}

/** `null` for anything that is no answer: an error, asked again on the schedule. */
export const decodeCancelAnswer = (body: string): CancelAnswer | null => {
  const answer = parseAnswer(body)
  if (!isJsonObject(answer)) return null
  switch (ownMember(answer, 'result')) {
    case 'cancelled':
      return { result: 'cancelled' }
    case 'toolate': {
      // The interface withholds the attribute's name: the one other whole number is it.
      const numbers = Object.entries(answer).flatMap(([name, value]) =>
        name !== 'result' && isWholeNumber(value) ? [value] : [],
      )
      return { result: 'toolate', lateByMinutes: numbers.length === 1 ? (numbers[0] ?? null) : null }
    }
    case 'retry': {
      const minutes = retryInMinutes(ownMember(answer, 'retry_in'))
      return minutes === null ? null : { result: 'retry', retryInMinutes: minutes }
    }
    default:
      return null
  }
}

/** Whether a 501 says that the merchant does not do cancel: a JSON object without `result`. */
export const saysUnsupported = (body: string): boolean => {
  const answer = parseAnswer(body)
  return isJsonObject(answer) && !Object.hasOwn(answer, 'result')
}
