// The contract of every store, on which the dispatcher and the use cases rely. Each part has its own file; its sections are
// functions of the port, and its test titles are the promises.
import { afterEach, beforeEach, describe } from 'vitest'
import { attemptsContract } from './attempts.contract.ts'
import { claimsContract } from './claims.contract.ts'
import { completionContract } from './completion.contract.ts'
import { deliveriesContract } from './deliveries.contract.ts'
import { lanesContract } from './lanes.contract.ts'
import { leasesContract } from './leases.contract.ts'
import { ordersContract } from './orders.contract.ts'
import { queueStatsContract } from './queue-stats.contract.ts'
import { recoveryContract } from './recovery.contract.ts'
import { resendsContract } from './resends.contract.ts'
import { reservationsContract } from './reservations.contract.ts'
import { retentionContract } from './retention.contract.ts'
import { openShop, type StoreShop } from './shop.ts'
import { stepsContract } from './steps.contract.ts'
import type { OpenedShop, OpenedStore } from './store-fixtures.ts'
import { wakeUpContract } from './wake-up.contract.ts'

export const storeContract = (name: string, open: () => Promise<OpenedStore>) =>
  describe(`${name} keeps the store contract`, () => {
    let opened: OpenedStore
    let shop: StoreShop
    beforeEach(async () => {
      opened = await open()
      shop = openShop(opened.store)
    })
    afterEach(() => opened.close())
    const current = (): OpenedShop => ({ ...opened, shop })

    stepsContract(current)
    reservationsContract(current)
    claimsContract(() => shop)
    lanesContract(current)
    leasesContract(current)
    completionContract(current)
    attemptsContract(current)
    deliveriesContract(current)
    resendsContract(current)
    recoveryContract(current)
    ordersContract(() => shop)
    wakeUpContract(current)
    retentionContract(() => shop)
    queueStatsContract(current)
  })
