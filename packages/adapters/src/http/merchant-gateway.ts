// Makes one signed request to a merchant over HTTP and brings back what can be judged, within one deadline.
// Interface §4.4 and §5, contract §6.
import { lookup as systemLookup } from 'node:dns'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { MerchantGateway, WireNames } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { AddressGuard } from './address-guard.ts'
import { exchange } from './exchange.ts'
import { guardedLookup, type LookupAll } from './guarded-lookup.ts'
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
}

/** `close` ends the connections that are kept, and with them what is in flight. */
export type ClosableMerchantGateway = MerchantGateway & { readonly close: () => void }

type Posted = Parameters<MerchantGateway['post']>[0]

export const merchantGateway = (options: MerchantGatewayOptions): ClosableMerchantGateway => {
  const { names, secretsOf, realNow, guard, timeoutMillis = 30_000, lookup = systemLookup } = options
  const agents = { http: agentsOf(HttpAgent), https: agentsOf(HttpsAgent) }

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
    const { kept, fresh } = url.protocol === 'https:' ? agents.https : agents.http
    const first = await exchange(call, kept)
    // A kept connection may have been closed by the other end just as the request was written. Whether it was read is
    // unknown, so this may be its second sending: the `Webhook-Id` is the same, by which the receiver drops repeats.
    return first.wasStale ? (await exchange(call, fresh)).answer : first.answer
  }

  return {
    post: (posted) => async () => {
      // A timer of Node's runs on the monotonic clock: setting the machine's clock neither ends nor extends an attempt.
      const deadline = new AbortController()
      const timer = setTimeout(() => deadline.abort(), timeoutMillis)
      try {
        return await attempt(posted, deadline.signal)
      } catch (thrown) {
        return E.left(failureOf(thrown))
      } finally {
        clearTimeout(timer)
      }
    },
    close: () => {
      for (const { kept, fresh } of [agents.http, agents.https]) {
        kept.destroy()
        fresh.destroy()
      }
    },
  }
}

// Connections are kept for less than the 5 s after which common servers close them, and no more of one host than are
// in flight for one merchant. An address that does not answer gets 2 s while another is left; Node's 250 ms would give
// up distant merchants.
const KEPT_MILLIS = 4_000
const agentsOf = <A>(
  AgentOfScheme: new (options: {
    readonly keepAlive: boolean
    readonly timeout?: number
    readonly maxFreeSockets?: number
    readonly autoSelectFamily: boolean
    readonly autoSelectFamilyAttemptTimeout: number
  }) => A,
) => {
  const connecting = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 2_000 }
  return {
    kept: new AgentOfScheme({ keepAlive: true, timeout: KEPT_MILLIS, maxFreeSockets: 64, ...connecting }),
    fresh: new AgentOfScheme({ keepAlive: false, ...connecting }),
  }
}
