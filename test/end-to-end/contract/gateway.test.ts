// Runs the merchant gateway contract on the gateway of this thread, on the one in a worker thread, and
// on the one over `fetch`.
import { FETCH_LEAVES_OUT, fetchGateway } from '@plazo/adapters/internal/fetch'
import {
  addressGuard,
  type ClosableMerchantGateway,
  type MerchantGatewayOptions,
  merchantGateway,
  threadedGateway,
} from '@plazo/adapters/internal/http'
import { wireNames } from '@plazo/core'
import type { OpenedGateway } from '@plazo/core/internal/testing'
import { gatewayContract, type MerchantAnswer } from '@plazo/core/testing/contracts'
import { runner } from '@plazo/core/testing/vitest'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterAll } from 'vitest'
import { freePort } from '../../harness/ports-and-folders.ts'
import { resolver } from '../../harness/raw-merchant.ts'
import { startReceiver } from '../../harness/receiver.ts'

const SECRETS = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210']
const NOW = 1_700_000_000_999
const MOMENT = 50

const GUARD = { allowsLocal: true, allow: [] } as const

const OPTIONS = {
  names: wireNames('Service', 'sq_state'),
  secretsOf: (ref: string) => TE.right(ref === 'demo' ? SECRETS : []),
  realNow: () => NOW,
}

type Opened = Promise<OpenedGateway>

/** Starting three threads takes longer than all tests, so one gateway is used by all. */
const openOnce = (open: () => Opened) => {
  let opened: Opened | undefined
  afterAll(async () => (await opened)?.close())
  return async () => {
    opened ??= open()
    return { ...(await opened), close: async () => {} }
  }
}

type Own = Partial<Pick<MerchantGatewayOptions, 'timeoutMillis' | 'secretsOf'>>

const openGateway =
  (gatewayWith: (overrides: Own) => ClosableMerchantGateway) =>
  async (): Promise<OpenedGateway> => {
    const receiver = await startReceiver()
    const [gateway, hurried] = [gatewayWith({}), gatewayWith({ timeoutMillis: MOMENT })]
    const locked = gatewayWith({
      secretsOf: () => TE.left({ _tag: 'Unavailable', code: 'unknown', message: 'away' }),
    })
    let current: MerchantAnswer = null
    for (const path of ['/events', '/a%20b']) receiver.answer(path, () => current)
    return {
      gateway,
      hurried,
      locked,
      names: OPTIONS.names,
      merchant: { ref: 'demo', secrets: SECRETS },
      now: NOW,
      url: receiver.url,
      received: () => receiver.received,
      answer: (answer) => {
        current = answer
      },
      nobody: `http://127.0.0.1:${await freePort()}/`,
      inside: 'http://inside.example/',
      close: () => {
        for (const each of [gateway, hurried, locked]) each.close()
        return receiver.close()
      },
    }
  }

gatewayContract(
  runner,
  'the gateway on the event loop',
  openGateway((overrides) =>
    merchantGateway({
      ...OPTIONS,
      ...overrides,
      guard: addressGuard(GUARD),
      lookup: resolver(['10.0.0.1']).lookup,
    }),
  ),
)

gatewayContract(
  runner,
  'the gateway in a thread',
  openOnce(openGateway((overrides) => threadedGateway({ ...OPTIONS, ...overrides, guard: GUARD }))),
  // The code is that of the event loop's gateway, but no test can give the thread a name server.
  ['checked address'],
)

gatewayContract(
  runner,
  'the gateway over fetch',
  openGateway((overrides) =>
    fetchGateway({ ...OPTIONS, ...overrides, guard: addressGuard(GUARD) }),
  ),
  FETCH_LEAVES_OUT,
)
