// The server whose paths are measured: a production server with a SQLite file. A sandbox records
// what happens around an order, which a reader who follows a request does not need.
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { hashPassword, type Keyring } from '@plazo/adapters/encryption'
import { openSqlite } from '@plazo/adapters/sqlite'
import { type Providers, reply } from '@plazo/core/ports'
import { serve } from '@plazo/server'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { aMerchant } from '../../../packages/core/src/testing/contracts/shop.ts'
import { configFrom } from '../../harness/config.ts'
import { LOOPBACK_CERTIFICATE } from '../../harness/loopback-certificate.ts'
import { DEMO, orderBody, PERSON, shopAt } from '../../harness/shop.ts'

const MERCHANT = { username: 'shop', password: 'a password' }
// No provider is called over HTTP.
const PROVIDER = 'https://127.0.0.1:9'

/** Accepts every delivery. Resolves to its port. */
const startReceiver = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer(LOOPBACK_CERTIFICATE, (request, response) => {
      request.resume()
      response.end()
    })
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

const addMerchant = async (database: string, keyring: Keyring | null): Promise<void> => {
  const { merchants, close } = openSqlite(database, { keyring })
  const passwordHash = await hashPassword(MERCHANT.password)
  const added = await merchants.add(
    aMerchant(DEMO.ref, {
      username: MERCHANT.username,
      passwordHash,
      country: null,
      sendActionEvents: false,
      signatureSecret: randomBytes(16).toString('hex'),
    }),
  )()
  await close()
  if (E.isLeft(added)) throw new Error(added.left._tag)
}

const pathOf = (orderRef: string): string => `/api/v1/checkout/${orderRef}/identification`

/** `folder`: for the database. */
export const startTracedServer = async (folder: string) => {
  const database = join(folder, 'path.db')
  const port = await startReceiver()
  const config = configFrom({
    MODE: 'production',
    PORT: '0',
    DATABASE_URL: `sqlite:${database}`,
    SECRET_KEY: randomBytes(32).toString('base64'),
    OPERATOR_PASSWORD: 'path of a submission',
    SCREENING_URL: PROVIDER,
    SMS_URL: PROVIDER,
    IDENTITY_URL: PROVIDER,
    PAYMENT_URL: PROVIDER,
    RISK_URL: PROVIDER,
    WEBHOOK_ALLOW: `127.0.0.0/8:${port}`,
    LOG_LEVEL: 'silent',
  })
  await addMerchant(database, config.keyring)

  const codes = new Map<string, string>()
  // Providers answer at once. Their retries would share commits with what is measured.
  const answerAtOnce = (providers: Partial<Providers>): Partial<Providers> => ({
    ...providers,
    sms: {
      send: ({ orderRef, payload }) => {
        codes.set(orderRef, payload.code)
        return TE.right(reply(null))
      },
    },
    screening: { screen: () => TE.right(reply({ outcome: 'approved', alternative: null })) },
    ...(providers.risk && {
      risk: { ...providers.risk, assess: () => TE.right(reply('low_risk')) },
    }),
  })
  const server = await serve(config, undefined, {
    // The writer's thread writes from the first job on, as it does under load.
    threadAfterJobs: 0,
    wrapProviders: answerAtOnce,
  })
  const shop = shopAt(server.baseUrl, MERCHANT)

  return {
    stop: server.stop,
    pathOf,
    /** Places an order for which nothing is due now. Resolves to its uuid. */
    place: async (): Promise<string> => {
      const body = orderBody({ product_code: 'i1' }, `https://127.0.0.1:${port}`)
      const answer = await shop.asMerchant('POST', '/orders', body)
      return answer.headers.get('location')?.split('/').at(-1) ?? ''
    },
    submit: (orderRef: string, fields: object = {}): Promise<Response> =>
      shop.send('POST', pathOf(orderRef), { ...PERSON, ...fields }),
    codeOf: (orderRef: string): string => codes.get(orderRef) ?? '',
    stateOf: async (orderRef: string): Promise<string> =>
      (await shop.order(orderRef)).state.checkout,
  }
}
