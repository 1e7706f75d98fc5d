import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { pathOfTest } from '../../../../../test/harness/path-of-test.ts'
import { handTimers } from '../../../../../test/harness/time.ts'
import { openSqlite } from '../open-storage.ts'
import { createDiskProbe } from './disk-probe.ts'

const failWith = (code: string) => async () => {
  throw Object.assign(new Error(code), { code })
}

const FAILURE = { code: 'disk_io_error' }

it('a disk that can be written has no failure, and the probe leaves no file', async () => {
  const path = pathOfTest('plazo.db')
  const home = openSqlite(path)
  expect(await home.probeDisk?.()).toBeNull()
  expect(await home.store.takesWrites()).toBe(true)
  await home.close()
  expect(readdirSync(dirname(path)).filter((name) => name.endsWith('-probe'))).toEqual([])
})

it('a dead disk is a failure; other errors are left to SQLite', async () => {
  const { timers } = handTimers()
  expect(await createDiskProbe('plazo.db', timers, failWith('EIO'))()).toMatchObject(FAILURE)
  expect(await createDiskProbe('plazo.db', timers, failWith('ENOSPC'))()).toBeNull()
})

it('a frozen file system is a failure after two seconds, and no second write waits for it', async () => {
  const { timers, move } = handTimers()
  let writes = 0
  const probe = createDiskProbe('plazo.db', timers, () => {
    writes += 1
    return new Promise(() => {})
  })
  const [first, second] = [probe(), probe()]
  move(2_000)
  expect(await Promise.all([first, second])).toMatchObject([FAILURE, FAILURE])
  expect(writes).toBe(1)
})
