// The contracts of a store: `storeContract` is what every host must keep, and each capability has a suite of its own, so that a
// host runs only the suites of what it claims. The test titles are the promises.
import type { FullStore } from '@plazo/core'
import { afterEach, beforeEach, describe } from 'vitest'
import { attemptsContract } from './attempts.contract.ts'
import { claimsContract } from './claims.contract.ts'
import { completionContract } from './completion.contract.ts'
import { deliveriesContract } from './deliveries.contract.ts'
import { historyContract } from './history.contract.ts'
import { lanesContract } from './lanes.contract.ts'
import { leasesContract } from './leases.contract.ts'
import { ordersContract } from './orders.contract.ts'
import { queueStatsContract } from './queue-stats.contract.ts'
import { recoveryContract } from './recovery.contract.ts'
import { resendsContract } from './resends.contract.ts'
import { reservationsContract } from './reservations.contract.ts'
import { retentionContract } from './retention.contract.ts'
import { retentionAndJobsContract } from './retention-and-jobs.contract.ts'
import { openShop, type StoreShop } from './shop.ts'
import { stepsContract } from './steps.contract.ts'
import type { OpenedShop, OpenedStore } from './store-fixtures.ts'
import { wakeUpContract } from './wake-up.contract.ts'

type Section = (current: () => OpenedShop) => void

const sections: {
  readonly [part in
    | 'store'
    | 'deliveries'
    | 'orders'
    | 'retention'
    | 'retentionAndJobs'
    | 'queueStats'
    | 'history']: Section
} = {
  store: (current) => {
    stepsContract(current)
    reservationsContract(current)
    claimsContract(() => current().shop)
    lanesContract(current)
    leasesContract(current)
    completionContract(current)
    wakeUpContract(current)
  },
  deliveries: (current) => {
    attemptsContract(current)
    deliveriesContract(current)
    resendsContract(current)
    recoveryContract(current)
  },
  orders: (current) => ordersContract(() => current().shop),
  retention: (current) => retentionContract(() => current().shop),
  retentionAndJobs: (current) => retentionAndJobsContract(() => current().shop),
  queueStats: queueStatsContract,
  history: historyContract,
}

const runSections = (
  title: string,
  open: () => Promise<OpenedStore>,
  parts: readonly (keyof typeof sections)[],
): void => {
  describe(title, () => {
    let opened: OpenedStore
    let store: FullStore
    let shop: StoreShop
    beforeEach(async () => {
      opened = await open()
      // A capability that is missing here has no test that runs.
      store = opened.store as FullStore
      shop = openShop(store)
    })
    afterEach(() => opened.close())
    for (const part of parts) sections[part](() => ({ ...opened, store, shop }))
  })
}

/** The contract of `Store`: order store, job queue and stuck jobs. Needs no capability. */
export const storeContract = (name: string, open: () => Promise<OpenedStore>): void =>
  runSections(`${name} keeps the store contract`, open, ['store'])

/**
 * The contract of one capability. `retention` also needs `deliveries`. `retentionAndJobs` is what `retention` promises together
 * with `deliveries` and stuck jobs.
 */
export const capabilityContract = (
  name: string,
  capability: Exclude<keyof typeof sections, 'store'>,
  open: () => Promise<OpenedStore>,
): void => runSections(`${name} keeps the contract of ${capability}`, open, [capability])

/** The contract of a store with every capability. */
export const fullStoreContract = (name: string, open: () => Promise<OpenedStore>): void =>
  runSections(`${name} keeps the contract of a full store`, open, [
    'store',
    'deliveries',
    'orders',
    'retention',
    'retentionAndJobs',
    'queueStats',
    'history',
  ])
