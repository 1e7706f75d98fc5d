// Three nodes use one database and the same orders at the same time. `pnpm nodes` runs more of it.
import { expect, it } from 'vitest'
import { openPostgresTestStorage } from '../../harness/postgres-storage.ts'
import { storeRace } from './store-race.ts'

it.each([1, 2, 3])(
  'nodes that do everything to the same orders at once lose nothing and do nothing twice: seed %i',
  async (seed) => {
    const first = await openPostgresTestStorage()
    const others = [
      await openPostgresTestStorage({ url: first.url }),
      await openPostgresTestStorage({ url: first.url }),
    ]
    const homes = [first, ...others]
    try {
      const stores = homes.map(({ store }) => store)
      const { faults, did, steps, looks } = await storeRace({
        url: first.url,
        stores,
        seed,
        hands: 4,
        turns: 60,
      })
      expect(faults).toEqual([])
      expect(Object.keys(did)).toHaveLength(9)
      expect(looks).toBeGreaterThan(20)
      expect(steps).toBeGreaterThan(60)
    } finally {
      for (const home of homes.toReversed()) await home.close()
    }
  },
)
