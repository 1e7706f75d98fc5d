// Checks the status of every answer and the length of its countdowns. All else that an answer must be, and that a final answer
// stays final, is checked in the traces, by the invariants of @plazo/core/testing.
import { DEFAULT_RULES } from '@plazo/core'
import type { Answered } from '../harness/shopper.ts'
import type { Request } from './network.ts'

/** In seconds. Setting the machine's clock back must not lengthen it for anybody. */
const WINDOW = DEFAULT_RULES.screeningWindow / 1000

const ALLOWED = [200, 202, 204, 404, 409]

/** Returns one sentence for each law that the answer breaks. `mayFail`: the store could not answer just now. */
export const answerLaws = (
  { method, path }: Request,
  { status, body }: Answered,
  mayFail: boolean,
): readonly string[] => {
  if (status === 503 && mayFail) return []
  const isCheckout = /^\/api\/v1\/checkout\/[^/]+\/(identification|wait)$/.test(path)
  if (isCheckout ? status !== 200 : !ALLOWED.includes(status))
    return [`${method} ${path} is answered ${status}: ${JSON.stringify(body)}`]
  const left = Number(body.expires_in ?? body.expires_in_seconds ?? 0)
  return left > WINDOW ? [`${path} counts down from ${left}, in a window of ${WINDOW}.`] : []
}
