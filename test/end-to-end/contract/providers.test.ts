import { randomUUID } from 'node:crypto'
import {
  derivePortSecrets,
  type RemoteOptions,
  remoteIdentity,
  remotePayments,
  remoteRisk,
  remoteScreening,
  remoteSms,
} from '@plazo/adapters/internal/provider'
import { listMessages, sandboxProviders } from '@plazo/adapters/internal/sandbox'
import { memoryRecords } from '@plazo/adapters/memory'
import type { ProviderPort, Providers } from '@plazo/core/internal'
import { providersContract } from '@plazo/core/testing/contracts'
import { runner } from '@plazo/core/testing/vitest'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { startSampleProvider } from '../../harness/sample-provider.ts'

providersContract(
  runner,
  'the sandbox’s providers',
  async () => {
    const records = memoryRecords()
    const orders = new Set<string>()
    const gone = TE.left({
      _tag: 'Unavailable',
      code: 'unknown',
      message: 'the store is gone',
    } as const)
    return {
      providers: sandboxProviders({
        ...records,
        add: (record) => {
          orders.add(record.orderRef ?? '')
          return records.add(record)
        },
      }),
      advance: async () => {},
      sentTo: async (phone) => {
        const messages = await Promise.all(
          [...orders].map((orderRef) => listMessages(records)(orderRef)()),
        )
        return messages
          .flatMap((result) => (E.isRight(result) ? result.right : []))
          .filter(({ to }) => to === phone)
          .map(({ text }) => text)
      },
      refundsOf: () => null,
      unreachable: sandboxProviders({
        ...records,
        add: () => gone,
        put: () => gone,
        list: () => gone,
      }),
      alwaysAnswers: ['screening', 'session', 'payment', 'void', 'refund', 'risk', 'watch'],
      close: async () => {},
    }
  },
  randomUUID,
)

const KEY = Buffer.alloc(32, 3)

const remoteProviders = (base: string): Providers & { readonly close: () => void } => {
  const at = (port: ProviderPort): RemoteOptions => ({
    url: `${base}/${port}`,
    // Nothing listens there: callbacks are lost, and the requests are repeated.
    callbackUrl: 'http://127.0.0.1:9/',
    secrets: derivePortSecrets([KEY], port),
    userAgent: 'Service-Provider/1.0',
    realNow: Date.now,
  })
  const screening = remoteScreening(at('screening'))
  const sms = remoteSms(at('sms'))
  const identity = remoteIdentity(at('identity'), 'http or https')
  const payments = remotePayments(at('payment'), 'http or https')
  const risk = remoteRisk(at('risk'))
  const close = (): void => {
    for (const port of [screening, sms, identity, payments, risk]) port.close()
  }
  return { screening, sms, identity, payments, risk, close }
}

providersContract(
  runner,
  'the providers of the sample provider',
  async () => {
    const provider = await startSampleProvider({ key: KEY, isSecure: false })
    const providers = remoteProviders(provider.front.url)
    const unreachable = remoteProviders('http://127.0.0.1:9')
    const printedLines = (start: string): readonly string[] =>
      provider
        .output()
        .split('\n')
        .flatMap((line) => (line.startsWith(start) ? [line.slice(start.length)] : []))
    return {
      providers,
      // The sample decides within a fifth of a second, even if it asks to be called again later.
      advance: () => new Promise((resolve) => setTimeout(resolve, 50)),
      sentTo: async (phone) => printedLines(`sms ${phone}: `),
      refundsOf: (payment) =>
        printedLines(`refunded ${payment} `).reduce((sum, amount) => sum + Number(amount), 0),
      unreachable,
      alwaysAnswers: [],
      close: async () => {
        providers.close()
        unreachable.close()
        await provider.stop()
      },
    }
  },
  randomUUID,
)
