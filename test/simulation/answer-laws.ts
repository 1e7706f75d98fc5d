// Checks every answer, in the order in which the server gave them: each must match its schema exactly, and a final answer must
// stay final.
import { isDeepStrictEqual } from 'node:util'
import { DEFAULT_RULES, IdentificationAction, WaitAction } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { Answered } from '../harness/shopper.ts'
import type { Request } from './network.ts'

type AnswerLaws = {
  /** Returns one sentence for each law that the answer breaks. `mayFail` is true if the store could not answer just now. */
  readonly judge: (request: Request, answered: Answered, mayFail: boolean) => readonly string[]
}

const CHECKOUT = /^\/api\/v1\/checkout\/([^/]+)\/(identification|wait)$/

/** The actions allowed after each final action. */
const AFTER: Readonly<Record<string, readonly string[]>> = {
  finish: ['finish'],
  reject: ['reject'],
  show_conflict: ['show_conflict', 'show_error'],
  show_error: ['show_error', 'show_conflict'],
}

/** In seconds. Setting the machine's clock back must not lengthen it for anybody. */
const WINDOW = DEFAULT_RULES.screeningWindow / 1000

const ALLOWED = [200, 202, 204, 404, 409]

const isExact = (endpoint: string, body: unknown): boolean => {
  const decoded: E.Either<unknown, unknown> =
    endpoint === 'wait' ? WaitAction.decode(body) : IdentificationAction.decode(body)
  return E.isRight(decoded) && isDeepStrictEqual(decoded.right, body)
}

export const answerLaws = (): AnswerLaws => {
  const ends = new Map<string, string>()
  return {
    judge: ({ method, path }, { status, body }, mayFail) => {
      if (status === 503 && mayFail) return []
      const [, orderRef = '', endpoint] = CHECKOUT.exec(path) ?? []
      if (endpoint === undefined)
        return ALLOWED.includes(status) ? [] : [`${method} ${path} is answered ${status}: ${JSON.stringify(body)}`]
      if (status !== 200) return [`${endpoint} is answered ${status}: ${JSON.stringify(body)}`]
      if (!isExact(endpoint, body)) return [`${endpoint} answers no action of its table: ${JSON.stringify(body)}`]
      const action = String(body.action)
      const left = Number(body.expires_in ?? body.expires_in_seconds ?? 0)
      if (left > WINDOW) return [`${endpoint} counts down from ${left}, in a window of ${WINDOW}.`]
      const end = ends.get(orderRef)
      if (end === undefined && action in AFTER) ends.set(orderRef, action)
      const isFormError = endpoint === 'identification' && action === 'show_identification_form'
      return end === undefined || isFormError || AFTER[end]?.includes(action) === true
        ? []
        : [`After ${end}, ${endpoint} answers ${action}.`]
    },
  }
}
