import { type Providers, reply } from '@plazo/core/ports'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { createProviderWatch } from './provider-watch.ts'

const MINUTE = 60_000

it('a provider fails after 15 minutes and three calls without an answer, until it answers', async () => {
  let now = 0
  let answer: ReturnType<Providers['risk']['assess']> = async () => {
    throw new Error('down')
  }
  const watch = createProviderWatch({ now: () => now })
  const { risk } = watch.watch({ risk: { assess: () => answer } } as unknown as Providers)
  const call = async (): Promise<void> => {
    try {
      await risk.assess({} as never)()
    } catch {
      // A worker retries it.
    }
  }

  await call()
  await call()
  now = 15 * MINUTE
  expect(watch.readFailing()).toEqual([])
  await call()
  expect(watch.readFailing()).toEqual([{ port: 'risk', failingSince: 0, failures: 3 }])
  answer = TE.right(reply('low_risk'))
  await call()
  expect(watch.readFailing()).toEqual([])
})
