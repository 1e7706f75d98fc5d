import { readdirSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { dirname } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { pathOfTest } from '../../../../../test/harness/path-of-test.ts'
import { openSqlite } from '../open-storage.ts'
import { createDiskProbe } from './disk-probe.ts'

const FAILURE = { code: 'disk_io_error' }

/** From now on, a probe writes with this function. */
const writeWith = (write: () => Promise<never>) => {
  const writeFile = vi.spyOn(fs, 'writeFile').mockImplementation(write)
  syncBuiltinESMExports()
  return writeFile
}
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  syncBuiltinESMExports()
})

it('a disk that can be written has no failure, and the probe leaves no file', async () => {
  const path = pathOfTest('plazo.db')
  const home = openSqlite(path)
  expect(await home.probeDisk?.()).toBeNull()
  expect(await home.store.takesWrites()).toBe(true)
  await home.close()
  expect(readdirSync(dirname(path)).filter((name) => name.endsWith('-probe'))).toEqual([])
})

it('a dead disk is a failure; other errors are left to SQLite', async () => {
  const probe = createDiskProbe('plazo.db')
  const failWith = (code: string) =>
    writeWith(() => Promise.reject(Object.assign(new Error(code), { code })))
  failWith('EIO')
  expect(await probe()).toMatchObject(FAILURE)
  failWith('ENOSPC')
  expect(await probe()).toBeNull()
})

it('a frozen file system is a failure after two seconds, and no second write waits for it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const probe = createDiskProbe('plazo.db')
  const writeFile = writeWith(() => new Promise(() => {}))
  const [first, second] = [probe(), probe()]
  vi.advanceTimersByTime(2_000)
  expect(await Promise.all([first, second])).toMatchObject([FAILURE, FAILURE])
  expect(writeFile).toHaveBeenCalledOnce()
})
