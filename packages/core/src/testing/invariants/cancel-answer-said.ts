// A second decoder of a merchant's answer to a cancel request, written from interface §6.1 and contract §6. It shares nothing
// with the code under test.
import { fieldsOf, jsonOf } from '../reading.ts'
import type { MerchantAnswer } from '../trace.ts'

type CancelMeaning =
  | { readonly meaning: 'cancelled' | 'toolate' | 'unsupported' | 'error' }
  | { readonly meaning: 'retry'; readonly inMinutes: number }

const wholeMinutes = (given: unknown): number =>
  typeof given === 'number' ? given : typeof given === 'string' && /^\d{1,4}$/.test(given) ? Number(given) : Number.NaN

/** The meaning of the merchant's answer to a cancel request. */
export const cancelMeaning = ({ status, body }: Pick<MerchantAnswer, 'status' | 'body'>): CancelMeaning => {
  if (status === null || body === null || ![200, 201, 202, 302, 307, 501].includes(status)) return { meaning: 'error' }
  const answer = jsonOf(body.replace(/^\uFEFF/, ''))
  const { result, retry_in } = fieldsOf(answer)
  if (result === 'cancelled' || result === 'toolate') return { meaning: result }
  const inMinutes = wholeMinutes(retry_in)
  if (result === 'retry' && Number.isInteger(inMinutes) && inMinutes >= 1 && inMinutes <= 1440)
    return { meaning: 'retry', inMinutes }
  const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer)
  return status === 501 && isObject && !Object.hasOwn(answer, 'result')
    ? { meaning: 'unsupported' }
    : { meaning: 'error' }
}
