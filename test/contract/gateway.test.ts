// What calls merchants, here and from a thread, held to one contract.
import { addressGuard, type ClosableMerchantGateway, merchantGateway, threadedGateway } from '@plazo/adapters/http'
import { wireNames } from '@plazo/core'
import { gatewayContract, type MerchantAnswer, type OpenedGateway } from '@plazo/core/testing/contracts'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { freePort } from '../support/free-port.ts'
import { startReceiver } from '../support/receiver.ts'

const SECRETS = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210']
const NOW = 1_700_000_000_999
const MOMENT = 50

const GUARD = { mode: 'sandbox', allow: [] } as const

const OPTIONS = {
  names: wireNames('Service', 'sq_state'),
  secretsOf: (ref: string) => TE.right(ref === 'demo' ? SECRETS : []),
  realNow: () => NOW,
}

type Limits = { readonly timeoutMillis?: number }

const opening = (gatewayWith: (limits: Limits) => ClosableMerchantGateway) => async (): Promise<OpenedGateway> => {
  const receiver = await startReceiver()
  const [gateway, hurried] = [gatewayWith({}), gatewayWith({ timeoutMillis: MOMENT })]
  let current: MerchantAnswer = null
  for (const path of ['/events', '/a%20b']) receiver.answer(path, () => current)
  return {
    gateway,
    hurried,
    names: OPTIONS.names,
    merchant: { ref: 'demo', secrets: SECRETS },
    now: NOW,
    url: receiver.url,
    received: () => receiver.received,
    answer: (answer) => {
      current = answer
    },
    nobody: `http://127.0.0.1:${await freePort()}/`,
    close: () => {
      gateway.close()
      hurried.close()
      return receiver.close()
    },
  }
}

gatewayContract(
  'the gateway on the event loop',
  opening((limits) => merchantGateway({ ...OPTIONS, ...limits, guard: addressGuard(GUARD) })),
)

gatewayContract(
  'the gateway in a thread',
  opening((limits) => threadedGateway({ ...OPTIONS, ...limits, guard: GUARD })),
)
