// The contracts of a store: `storeContract` is what every host must keep, and each capability has a
// suite of its own, so that a host runs only the suites of what it claims. The test titles are the
// promises.
import type { FullStore } from '@plazo/core/ports'
import { attemptsContract } from './attempts.contract.ts'
import { claimsContract } from './claims.contract.ts'
import { completionContract } from './completion.contract.ts'
import { deliveriesContract } from './deliveries.contract.ts'
import { durabilityContract } from './durability.contract.ts'
import { endpointsContract } from './endpoints.contract.ts'
import { historyContract } from './history.contract.ts'
import { inspectionContract } from './inspection.contract.ts'
import { ordersContract } from './orders.contract.ts'
import { queueStatsContract } from './queue-stats.contract.ts'
import { readinessContract } from './readiness.contract.ts'
import { recoveryContract } from './recovery.contract.ts'
import { resendsContract } from './resends.contract.ts'
import { reservationsContract } from './reservations.contract.ts'
import { retentionContract } from './retention.contract.ts'
import { citeSection, type Runner } from './runner.ts'
import { openShop, type StoreShop } from './shop.ts'
import { arrivalOrderContract, stepsContract } from './steps.contract.ts'
import type { OpenedStore } from './store-fixtures.ts'
import { wakeUpContract } from './wake-up.contract.ts'

type Contract = (runner: Runner, shop: StoreShop, opened: () => OpenedStore) => void

const STORES = 'docs/architecture.md, Stores'
const DELIVERIES = 'docs/delivery.md'

/** The contracts of each part, with the section that makes their promises. */
const sections = {
  base: [
    [STORES, stepsContract],
    ['Contract §3, order_ref_1', reservationsContract],
    ['Contract §6, Ordering', claimsContract],
  ],
  store: [
    ['Contract §6, Stuck', completionContract],
    ['docs/architecture.md, A submission', wakeUpContract],
  ],
  arrivalOrder: [[STORES, arrivalOrderContract]],
  takesWrites: [['Contract §7', readinessContract]],
  deliveries: [
    [DELIVERIES, attemptsContract],
    [DELIVERIES, deliveriesContract],
    [DELIVERIES, resendsContract],
    [DELIVERIES, recoveryContract],
  ],
  endpoints: [[DELIVERIES, endpointsContract]],
  orders: [['Contract §3', ordersContract]],
  retention: [['docs/operations.md, Settings', retentionContract]],
  queueStats: [['docs/operations.md, Log and alerts', queueStatsContract]],
  history: [['Contract §7, Statechart', historyContract]],
  inspection: [['Contract §7, Statechart', inspectionContract]],
} satisfies Readonly<Record<string, readonly (readonly [string, Contract])[]>>

type Part = keyof typeof sections

/**
 * What the tests of durability may expect. `isDurable`: the store survives its process, so the
 * contract also breaks each write of a commit. Its `open` returns `reopen` and `failAt`.
 */
export type DurabilityOptions = { readonly isDurable?: boolean }

const runSections = (
  runner: Runner,
  title: string,
  open: () => Promise<OpenedStore>,
  parts: readonly Part[],
  { isDurable = false }: DurabilityOptions = {},
): void => {
  const { describe, beforeEach, afterEach } = runner
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
    const contracts: readonly (readonly [string, Contract])[] = [
      ...parts.flatMap((part) => sections[part]),
      ...(isDurable ? ([[STORES, durabilityContract]] as const) : []),
    ]
    for (const [section, contract] of contracts)
      contract(citeSection(runner, section), shop, () => opened)
  })
}

/** The contract of `Store`: order store, job queue and stuck jobs. Needs no capability. */
export const storeContract = (
  runner: Runner,
  name: string,
  open: () => Promise<OpenedStore>,
  options?: DurabilityOptions,
): void => runSections(runner, `${name} keeps the store contract`, open, ['base', 'store'], options)

/**
 * The part of the store contract that depends on the database: for another database, or another kind
 * of rows, under plazo's own store.
 */
export const baseContract = (
  runner: Runner,
  name: string,
  open: () => Promise<OpenedStore>,
  options?: DurabilityOptions,
): void => runSections(runner, `${name} keeps the contract of a base`, open, ['base'], options)

/**
 * The contract of one capability. `retention` also needs `deliveries`. `arrivalOrder` is for stores that run concurrent steps of one order in the
 * order in which they were called; in any other order, each still sees the one before.
 */
export const capabilityContract = (
  runner: Runner,
  name: string,
  capability: Exclude<Part, 'base' | 'store'>,
  open: () => Promise<OpenedStore>,
): void => runSections(runner, `${name} keeps the contract of ${capability}`, open, [capability])

/** The contract of a store with every capability. */
export const fullStoreContract = (
  runner: Runner,
  name: string,
  open: () => Promise<OpenedStore>,
  options?: DurabilityOptions,
): void =>
  runSections(
    runner,
    `${name} keeps the contract of a full store`,
    open,
    Object.keys(sections) as readonly Part[],
    options,
  )
