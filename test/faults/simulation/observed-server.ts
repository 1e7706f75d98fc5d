// A server that the simulation observes: it checks the status of every answer, the length of every
// countdown, and every line of the log. The ledger compares all else with the journals.
import { DEFAULT_RULES } from '@plazo/core'
import type { Log } from '@plazo/server/internal'
import type { Answered } from '../../harness/shopper.ts'
import type { Request, Server } from './network.ts'
import type { ProcessLifecycle } from './process-lifecycle.ts'
import { storeMayFail, type WorldState } from './world-state.ts'

export const observedServer = (
  { eventLog, faultLevels, ledger }: WorldState,
  lifecycle: Pick<ProcessLifecycle, 'current' | 'isServing' | 'isStopping'>,
): Server => {
  return () => {
    const serving = lifecycle.current()
    if (serving === null || !lifecycle.isServing()) return null
    return async (request) => {
      const couldFail = storeMayFail(faultLevels)
      const answered = await serving.serve(request)
      if (answered === null) return null
      const { order, method, path } = request
      const { status, body } = answered
      eventLog.count('answers', String(status))
      eventLog.log(
        order,
        `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, '…')} → ${status} ${String(body.action ?? '')}`,
      )
      if (status === 404 && !ledger.knows(path)) return answered
      const mayFail = couldFail || storeMayFail(faultLevels) || lifecycle.isStopping()
      const fault = answerFault(request, answered, mayFail)
      if (fault !== null) eventLog.reportViolation('answers keep to their tables', order, fault)
      return answered
    }
  }
}

/** In seconds. Setting the machine's clock back must not lengthen it for anybody. */
const WINDOW = DEFAULT_RULES.screeningWindow / 1000

const ALLOWED = [200, 202, 204, 404, 409]

/** `mayFail`: the store could not answer just now. */
const answerFault = (
  { method, path }: Request,
  { status, body }: Answered,
  mayFail: boolean,
): string | null => {
  if (status === 503 && mayFail) return null
  const isCheckout = /^\/api\/v1\/checkout\/[^/]+\/(identification|wait)$/.test(path)
  if (isCheckout ? status !== 200 : !ALLOWED.includes(status))
    return `${method} ${path} is answered ${status}: ${JSON.stringify(body)}`
  const secondsLeft = Number(body.expires_in ?? body.expires_in_seconds ?? 0)
  return secondsLeft > WINDOW
    ? `${path} counts down from ${secondsLeft}, in a window of ${WINDOW}.`
    : null
}

const OUR_FAULTS = ['fault', 'entry_faulted', 'stuck', 'crashed']

/** The log of a server: an error that no simulated fault explains is a violation. */
export const observedLog =
  ({ eventLog, faultLevels }: WorldState, isServing: () => boolean): Log =>
  (event, fields) => {
    if (event === 'settled') return
    eventLog.log(null, `log: ${event} ${'key' in fields ? fields.key : ''}`)
    eventLog.count('logged', event)
    const isStore = event === 'unavailable' && !storeMayFail(faultLevels)
    if ((OUR_FAULTS.includes(event) || isStore) && isServing())
      eventLog.reportViolation(
        'no fault of ours',
        null,
        `${event} ${JSON.stringify(fields)} ${'thrown' in fields ? String(fields.thrown) : ''}`,
      )
  }
