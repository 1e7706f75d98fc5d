// The contracts of a store: `storeContract` is what every host must keep, and each capability has a
// suite of its own, so that a host runs only the suites of what it claims. The test titles are the
// promises.
import type { FullStore } from '@plazo/core/ports'
import { afterEach, beforeEach, describe } from 'vitest'
import { attemptsContract } from './attempts.contract.ts'
import { claimsContract } from './claims.contract.ts'
import { completionContract } from './completion.contract.ts'
import { deliveriesContract } from './deliveries.contract.ts'
import { durabilityContract } from './durability.contract.ts'
import { endpointsContract } from './endpoints.contract.ts'
import { fairnessContract } from './fairness.contract.ts'
import { historyContract } from './history.contract.ts'
import { inspectionContract } from './inspection.contract.ts'
import { lanesContract } from './lanes.contract.ts'
import { leasesContract } from './leases.contract.ts'
import { ordersContract } from './orders.contract.ts'
import { queueStatsContract } from './queue-stats.contract.ts'
import { readinessContract } from './readiness.contract.ts'
import { recoveryContract } from './recovery.contract.ts'
import { resendsContract } from './resends.contract.ts'
import { reservationsContract } from './reservations.contract.ts'
import { retentionContract } from './retention.contract.ts'
import { retentionAndJobsContract } from './retention-and-jobs.contract.ts'
import { openShop, type StoreShop } from './shop.ts'
import { stepsContract } from './steps.contract.ts'
import type { OpenedStore } from './store-fixtures.ts'
import { wakeUpContract } from './wake-up.contract.ts'

type Section = (shop: StoreShop, opened: () => OpenedStore) => void

const sections = {
  store: (shop, opened) => {
    stepsContract(shop, opened)
    reservationsContract(shop)
    claimsContract(shop)
    lanesContract(shop)
    leasesContract(shop, opened)
    completionContract(shop)
    wakeUpContract(shop)
  },
  takesWrites: readinessContract,
  deliveries: (shop) => {
    attemptsContract(shop)
    deliveriesContract(shop)
    resendsContract(shop)
    recoveryContract(shop)
  },
  endpoints: endpointsContract,
  fairness: fairnessContract,
  orders: ordersContract,
  retention: retentionContract,
  retentionAndJobs: retentionAndJobsContract,
  queueStats: queueStatsContract,
  history: historyContract,
  inspection: inspectionContract,
} satisfies Readonly<Record<string, Section>>

type Part = keyof typeof sections

/**
 * `isDurable`: the store survives its process, so the contract also breaks each write of a commit.
 * Its `open` returns `reopen` and `failAt`.
 */
export type DurabilityOptions = { readonly isDurable?: boolean }

const runSections = (
  title: string,
  open: () => Promise<OpenedStore>,
  parts: readonly Part[],
  { isDurable = false }: DurabilityOptions = {},
): void => {
  describe(title, () => {
    let opened: OpenedStore
    let current: StoreShop
    beforeEach(async () => {
      opened = await open()
      // A capability that is missing here has no test that runs.
      current = openShop(opened.store as FullStore)
    })
    afterEach(() => opened.close())
    // The sections describe their tests before any shop is open, so they get the shop of the test
    // that runs.
    const shop = new Proxy({} as StoreShop, {
      get: (_, name) => current[name as keyof StoreShop],
    })
    for (const part of parts) sections[part](shop, () => opened)
    if (isDurable) durabilityContract(shop, () => opened)
  })
}

/** The contract of `Store`: order store, job queue and stuck jobs. Needs no capability. */
export const storeContract = (
  name: string,
  open: () => Promise<OpenedStore>,
  options?: DurabilityOptions,
): void => runSections(`${name} keeps the store contract`, open, ['store'], options)

/**
 * The contract of one capability. `retention` also needs `deliveries`. `retentionAndJobs` is what
 * `retention` promises together with `deliveries` and stuck jobs. `fairness` is for stores that know
 * which merchants are good.
 */
export const capabilityContract = (
  name: string,
  capability: Exclude<Part, 'store'>,
  open: () => Promise<OpenedStore>,
): void => runSections(`${name} keeps the contract of ${capability}`, open, [capability])

/** The contract of a store with every capability. */
export const fullStoreContract = (
  name: string,
  open: () => Promise<OpenedStore>,
  options?: DurabilityOptions,
): void =>
  runSections(
    `${name} keeps the contract of a full store`,
    open,
    Object.keys(sections) as readonly Part[],
    options,
  )
