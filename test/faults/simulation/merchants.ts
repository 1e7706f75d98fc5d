// The merchants of a simulated world: their requests and answers travel over the simulated network,
// where both can be late or lost.
import type { HttpRequest, HttpResult } from '@plazo/adapters/internal/http'
import { WEEK } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { answerAsMerchants, type ReceivedRequest, readRequest } from '../../harness/merchants.ts'
import type { SeededRandom } from '../../harness/seeded-random.ts'
import type { Network } from './network.ts'
import type { WorldState } from './world-state.ts'

const failure = (error: 'timeout' | 'connection_reset' | 'connection_refused'): HttpResult =>
  E.left({ _tag: 'RequestFailure', error, message: error })

// A week has 24 slots. The same number again allows for attempts lost in a crash and for resends.
const ATTEMPTS_AT_MOST = 2 * WEEK.length

type MerchantsParts = {
  readonly network: Network
  /** The merchant's own `PUT` with this state. */
  readonly put: (
    order: number,
    orderRef: string,
    state: 'confirmed' | 'on_hold',
  ) => Promise<unknown>
}

/**
 * `exchange` belongs to one process: when it ends, it never learns the results of requests in
 * flight.
 */
export const merchantsOf = (
  { scheduler, faultLevels, eventLog, plans, stream }: WorldState,
  { network, put }: MerchantsParts,
) => {
  const drawOf = (order: number): SeededRandom => stream(order, 'merchant')
  const requests: ReceivedRequest[] = []
  const attempted = new Map<string, number>()
  const answerTo = answerAsMerchants({
    planOf: (order) => plans.get(order),
    drawOf,
    put,
    isCalm: () => faultLevels.isCalm,
    onViolation: (order, what) => eventLog.reportViolation('signature', order, what),
  })

  const exchange = async ({ url, headers, body, deadline }: HttpRequest): Promise<HttpResult> => {
    const request = readRequest(url.pathname, headers, body)
    const { order, event, id } = request
    if (!plans.has(order)) return failure('connection_refused')
    const draw = drawOf(order)
    requests.push(request)
    const attempts = (attempted.get(id) ?? 0) + 1
    attempted.set(id, attempts)
    if (attempts > ATTEMPTS_AT_MOST)
      eventLog.reportViolation(
        'attempts come to an end',
        order,
        `${id} is sent for the ${attempts}th time.`,
      )
    eventLog.count('requests to merchants', event)
    eventLog.log(order, `${event} is sent, ${id.split(':').slice(1).join(':')}`)

    const overdue = new Promise<HttpResult>((resolve) =>
      deadline.addEventListener('abort', () => resolve(failure('timeout'))),
    )
    const answerLate = async (): Promise<HttpResult> => {
      await scheduler.sleep(network.latency(draw))
      if (network.loses(draw)) {
        eventLog.count('faults', 'a webhook was lost')
        return failure('connection_refused')
      }
      const fate = await answerTo(request)
      await scheduler.sleep(
        network.latency(draw) + (draw.below(12) === 0 ? 20_000 * draw.next() : 0),
      )
      const isHeard = typeof fate === 'object' && !network.loses(draw)
      eventLog.log(
        order,
        `${event} is answered ${typeof fate === 'object' ? `${fate.status} ${fate.body ?? ''}` : fate}${isHeard ? '' : ', which is not heard'}`,
      )
      if (fate === 'hangs' || fate === 'drips') {
        eventLog.count('faults', 'a merchant hung')
        return overdue
      }
      if (!isHeard) {
        eventLog.count('faults', 'a merchant’s answer was lost')
        return failure('connection_reset')
      }
      return E.right({
        status: fate.status,
        retryAfter: fate.retryAfter ?? null,
        body: fate.body ?? '',
      })
    }
    return Promise.race([answerLate(), overdue])
  }

  return { exchange, requests: requests as readonly ReceivedRequest[] }
}
