// The history of an order and the log name the operator who decided about it, or who erased its
// shopper or saw their data.
// Only operators see the name in a history.
import { applyDecision, eraseShopperData } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { operatorOf } from '../../http/access.ts'
import type { AppParts } from '../../http/services.ts'
import { OPERATOR } from '../../settings/config.ts'
import { DECISIONS, type DecisionName } from './decisions.ts'
import { showPersonalData } from './personal-data.ts'

// The user `operator` has no name of their own.
const nameInHistory = (c: Context): string | undefined => {
  const name = operatorOf(c)
  return name === OPERATOR ? undefined : name
}

type Act = DecisionName | 'erase' | 'show-data'

export const operatorActs = ({ host, erasure, records, log }: AppParts) => {
  const logAct = (c: Context, act: Act, orderRef: string) => () => () =>
    log('operator_acted', { operator: operatorOf(c) ?? null, act, order_ref: orderRef })
  return {
    /** `revision`: of the order that the decision is about; null: as it is. */
    decide: (c: Context, orderRef: string, name: DecisionName, revision: number | null) => {
      const event = { ...DECISIONS[name].event, operator: nameInHistory(c) }
      return pipe(
        applyDecision(host)(orderRef, event, revision),
        TE.tapIO(logAct(c, name, orderRef)),
      )
    },
    erase: (c: Context, orderRef: string) =>
      pipe(
        eraseShopperData({ erasure, clock: host.clock })(orderRef, nameInHistory(c)),
        TE.tapIO(logAct(c, 'erase', orderRef)),
      ),
    showData: (c: Context, orderRef: string) =>
      pipe(
        showPersonalData({ ...host, records })(orderRef, nameInHistory(c)),
        TE.tapIO(logAct(c, 'show-data', orderRef)),
      ),
  }
}
