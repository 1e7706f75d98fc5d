// Makes one signed request to a merchant over HTTP and brings back what can be judged, within one deadline.
// Interface §4.4 and §5, contract §6.
import { lookup as systemLookup } from 'node:dns'
import type { MerchantGateway, WireNames } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { systemTimers, type Timers } from '../system/timers.ts'
import type { AddressGuard } from './address-guard.ts'
import type { Call } from './exchange.ts'
import { guardedLookup, type LookupAll } from './guarded-lookup.ts'
import { keptConnections } from './kept-connections.ts'
import type { Answer } from './read-answer.ts'
import { failureOf, requestFailure } from './request-failure.ts'
import { sign, signStandardWebhook } from './signature.ts'
import { portOf } from './url-port.ts'

export type MerchantGatewayOptions = {
  readonly names: WireNames
  /** The live secrets, the current one first; none where the merchant is not known. */
  readonly secretsOf: (merchantRef: string) => TaskEither<unknown, readonly string[]>
  /** Real time, epoch milliseconds, for `Webhook-Timestamp`: receivers compare it with their own clocks. */
  readonly realNow: () => number
  readonly guard: AddressGuard
  /** Real milliseconds for one attempt over everything, DNS to last body byte; 30 s unless given. */
  readonly timeoutMillis?: number
  readonly lookup?: LookupAll
  readonly timers?: Pick<Timers, 'after'>
  /** How a request is made, where it does not go over a connection. */
  readonly exchange?: (call: Call) => Promise<Answer>
}

/** `close` ends the connections that are kept, and with them what is in flight. */
export type ClosableMerchantGateway = MerchantGateway & { readonly close: () => void }

type Posted = Parameters<MerchantGateway['post']>[0]

export const merchantGateway = (options: MerchantGatewayOptions): ClosableMerchantGateway => {
  const {
    names,
    secretsOf,
    realNow,
    guard,
    timers = systemTimers,
    timeoutMillis = 30_000,
    lookup = systemLookup,
  } = options
  const connections = keptConnections()
  const { exchange = connections.exchange } = options

  const headersOf = (posted: Posted, bytes: Uint8Array, current: string, secrets: readonly string[]) => {
    const timestamp = Math.floor(realNow() / 1000)
    return {
      'Content-Type': posted.contentType,
      'Content-Length': String(bytes.length),
      Accept: 'application/json',
      'Accept-Encoding': 'identity',
      'User-Agent': names.userAgent,
      [names.signatureHeader]: sign(current, bytes),
      'Webhook-Id': posted.id,
      'Webhook-Timestamp': String(timestamp),
      'Webhook-Signature': signStandardWebhook(secrets, { id: posted.id, timestamp, body: posted.body }),
    }
  }

  const attempt = async (posted: Posted, deadline: AbortSignal): Promise<Answer> => {
    const refusal = guard.checkUrl(posted.url)
    if (refusal !== null) return E.left(requestFailure('blocked_address', refusal))
    const secrets = await secretsOf(posted.merchantRef)()
    if (E.isLeft(secrets)) return E.left(requestFailure('merchant_unknown', 'The secrets could not be read.'))
    const [current] = secrets.right
    if (current === undefined) return E.left(requestFailure('merchant_unknown', 'There is no such merchant.'))

    const url = new URL(posted.url)
    const body = Buffer.from(posted.body)
    const call = {
      url,
      headers: headersOf(posted, body, current, secrets.right),
      body,
      readsBody: posted.readsBody,
      lookup: guardedLookup(lookup, guard, portOf(url)),
      isAllowed: guard.isAllowed,
      deadline,
    }
    return exchange(call)
  }

  return {
    post: (posted) => async () => {
      // A timer of Node's runs on the monotonic clock: setting the machine's clock neither ends nor extends an attempt.
      const deadline = new AbortController()
      const timer = timers.after(timeoutMillis, () => deadline.abort())
      try {
        return await attempt(posted, deadline.signal)
      } catch (thrown) {
        return E.left(failureOf(thrown))
      } finally {
        timer.cancel()
      }
    },
    close: connections.close,
  }
}
