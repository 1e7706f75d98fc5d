// Providers on a bad day: they fail, are slow, or do their work and lose the answer. Each remembers
// by key what it did, and reports money that goes astray.
import type { ProviderError, Providers } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { WorldState } from './world-state.ts'

type ProvidersParts = {
  readonly refunds: Refunds
  /** The keys of all requests to them, no matter how they ended. */
  readonly keys: Set<string>
}

/** The refunds of the payment provider, by their id. They survive every crash of the server. */
export type Refunds = Map<string, { readonly payment: string; readonly amount: number }>

type Asked = { readonly key: string; readonly orderRef: string }
type Ask<A extends Asked, B> = (request: A) => TaskEither<ProviderError, B>

const failure: ProviderError = {
  _tag: 'ProviderError',
  reason: 'other',
  message: 'The provider does not answer.',
}

export const unreliableProviders = (
  { scheduler, faultLevels, eventLog, numbers, stream }: WorldState,
  { refunds, keys }: ProvidersParts,
  providers: Providers,
): Providers => {
  const numberOf = (orderRef: string): number | null => numbers.get(orderRef) ?? null

  const on =
    <A extends Asked, B>(name: string, ask: Ask<A, B>): Ask<A, B> =>
    (request) =>
    async () => {
      const number = numberOf(request.orderRef)
      const draw = stream(number ?? 0, 'providers')
      const chance = draw.next()
      const isBad = !faultLevels.isCalm && chance < (faultLevels.providersFail > 0 ? 0.5 : 0.02)
      eventLog.count('asked of providers', name)
      keys.add(request.key)
      await scheduler.sleep(1 + 40 * draw.next())
      if (!isBad) return ask(request)()
      const fate = draw.pick(['fails', 'is slow', 'loses its answer'])
      eventLog.count('faults', `a provider ${fate}`)
      eventLog.log(number, `${name} ${fate}`)
      if (fate === 'fails') return E.left(failure)
      if (fate === 'is slow') await scheduler.sleep(50_000 * draw.next())
      const reply = await ask(request)()
      return fate === 'loses its answer' ? E.left(failure) : reply
    }

  const refund: Providers['payments']['refund'] = (request) => async () => {
    const { key, orderRef, payload } = request
    const { payment, amount } = payload
    const before = refunds.get(key)
    const number = numberOf(orderRef)
    if (before !== undefined && (before.amount !== amount || before.payment !== payment))
      eventLog.reportViolation(
        'a refund is the same, no matter how often it is requested',
        number,
        `${key} asked for ${before.amount} of ${before.payment}, and for ${amount} of ${payment}.`,
      )
    if (before === undefined) {
      refunds.set(key, { payment, amount })
      eventLog.log(number, `${amount} is refunded`)
      eventLog.count('money', 'refunds')
      eventLog.count('money', 'refunded', amount)
    }
    return providers.payments.refund(request)()
  }

  const { screening, sms, identity, payments, risk } = providers
  return {
    screening: { screen: on('screening', screening.screen) },
    sms: { send: on('sms', sms.send) },
    identity: { open: on('session', identity.open) },
    payments: {
      open: on('payment', payments.open),
      void: on('void', payments.void),
      refund: on('refund', refund),
      recall: on('cards', payments.recall),
      keep: on('card', payments.keep),
    },
    risk: { assess: on('risk', risk.assess), watch: on('watch', risk.watch) },
  }
}
