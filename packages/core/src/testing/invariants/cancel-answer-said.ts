// A second decoder of a merchant's answer to a cancel request, written from interface §6.1 and contract §6. It shares nothing
// with the code under test.
import { fieldsOf, jsonOf } from '../reading.ts'
import type { HeardBack } from '../trace.ts'

type Said =
  | { readonly says: 'cancelled' | 'toolate' | 'unsupported' | 'error' }
  | { readonly says: 'retry'; readonly inMinutes: number }

const wholeMinutes = (given: unknown): number =>
  typeof given === 'number' ? given : typeof given === 'string' && /^\d{1,4}$/.test(given) ? Number(given) : Number.NaN

/** The meaning of the merchant's answer to a cancel request. */
export const saidBy = ({ status, body }: Pick<HeardBack, 'status' | 'body'>): Said => {
  if (status === null || body === null || ![200, 201, 202, 302, 307, 501].includes(status)) return { says: 'error' }
  const answer = jsonOf(body.replace(/^\uFEFF/, ''))
  const { result, retry_in } = fieldsOf(answer)
  if (result === 'cancelled' || result === 'toolate') return { says: result }
  const inMinutes = wholeMinutes(retry_in)
  if (result === 'retry' && Number.isInteger(inMinutes) && inMinutes >= 1 && inMinutes <= 1440)
    return { says: 'retry', inMinutes }
  const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer)
  return status === 501 && isObject && !Object.hasOwn(answer, 'result') ? { says: 'unsupported' } : { says: 'error' }
}
