// After the faults, no order may wait for a person for ever: the operator decides, and merchants without an IPN confirm.
import { FAULTS_END } from './faults.ts'
import type { Network } from './network.ts'
import type { Operators } from './operators.ts'
import { DAY, type Plan } from './order-plan.ts'
import type { Scheduler } from './scheduler.ts'

type DrainParts = {
  readonly scheduler: Scheduler
  readonly network: Network
  readonly numbers: ReadonlyMap<string, number>
  readonly plans: ReadonlyMap<number, Plan>
  readonly operators: (number: number) => Operators
  readonly review: (orderRef: string, number: number) => void
  /** Ends all faults. */
  readonly endFaults: () => void
}

/** Resolves after a whole day in which no order waited for a person. */
export const drainOrders = async (parts: DrainParts): Promise<void> => {
  const { scheduler, network, numbers, plans, operators: staff, review, endFaults: calm } = parts
  await scheduler.sleep(FAULTS_END)
  calm()
  for (let isQuiet = false; !isQuiet; ) {
    isQuiet = true
    await scheduler.sleep(DAY)
    for (const [orderRef, number] of numbers) {
      const answered = await network.ask({ order: number, method: 'GET', path: `/api/v1/checkout/${orderRef}/wait` })
      const action = answered?.body.action
      const takesNoIpn = plans.get(number)?.ipn === 'absent'
      if (action === 'show_on_hold') review(orderRef, number)
      else if (takesNoIpn && action === 'wait_for_confirmation') await staff(number).put(orderRef, 'confirmed')
      else if (takesNoIpn && action === 'wait_for_on_hold') await staff(number).put(orderRef, 'on_hold')
      else continue
      isQuiet = false
    }
  }
}
