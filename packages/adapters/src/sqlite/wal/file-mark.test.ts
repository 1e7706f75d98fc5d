import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { beforeEach, describe, expect, it } from 'vitest'
import { pathOfTest } from '../../../../../test/harness/path-of-test.ts'
import { openSqlite } from '../open-storage.ts'
import { inspectDatabase } from '../queries/inspection.ts'
import { backUp } from '../schema/backup.ts'
import { openAgain } from '../schema/database.ts'
import { assertOwnLog, readHeaderMark, renewMark } from './file-mark.ts'

const ENDS = ['', '-wal', '-shm', '-mark', '.key']
let path: string
beforeEach(() => {
  path = pathOfTest('plazo.db')
})

/** Runs a database, and leaves its files as they are at the end, as a kill does. */
const runUntilKilled = async (run: () => Promise<void> | void = () => {}): Promise<void> => {
  const storage = openSqlite(path)
  await storage.merchants.list()()
  await run()
  for (const end of ENDS) copyFileSync(path + end, `${path}.killed${end}`)
  await storage.close()
  for (const end of ENDS) copyFileSync(`${path}.killed${end}`, path + end)
}

const runAndStop = (): Promise<void> => openSqlite(path).close()

const copy = (name: string): string => {
  copyFileSync(path, `${path}.${name}`)
  return `${path}.${name}`
}

describe('a log', () => {
  it.each<[string, () => Promise<string>]>([
    [
      'a backup',
      async () => {
        const file = `${path}.backup`
        await runAndStop()
        expect(await backUp(path, file)()).toEqual(E.right(expect.any(Number)))
        await runUntilKilled()
        return file
      },
    ],
    [
      'a backup of the running server',
      async () => {
        const file = `${path}.backup`
        await runUntilKilled(async () => void (await backUp(path, file)()))
        return file
      },
    ],
    [
      'a copy of the file from before the start',
      async () => {
        await runAndStop()
        const file = copy('copied')
        await runUntilKilled()
        return file
      },
    ],
    [
      'a copy of the file after an earlier kill',
      async () => {
        await runUntilKilled()
        const file = copy('copied')
        await runUntilKilled()
        return file
      },
    ],
    [
      'another database',
      async () => {
        await runAndStop()
        const file = copy('copied')
        rmSync(path)
        await runUntilKilled()
        return file
      },
    ],
  ])('is refused next to %s, and the file is not changed', async (_, prepare) => {
    copyFileSync(await prepare(), path)
    const before = readFileSync(path)
    expect(() => openSqlite(path)).toThrow(`of another file: ${path}-wal`)
    rmSync(`${path}-wal`)
    expect(() => openSqlite(path)).toThrow(`of another file: ${path}-shm`)
    expect(readFileSync(path).equals(before)).toBe(true)
    rmSync(`${path}-shm`)
    await runAndStop()
  })

  it('is refused without a file', async () => {
    await runUntilKilled()
    rmSync(path)
    expect(() => openSqlite(path)).toThrow(`of another file: ${path}-wal and ${path}-shm`)
    expect(existsSync(path)).toBe(false)
  })

  it('is accepted next to its own file, however often it was killed, and by a second server', async () => {
    for (let kills = 0; kills < 3; kills++) await runUntilKilled()
    const [first, second] = [openSqlite(path), openSqlite(path)]
    await first.close()
    await second.close()
  })

  it('is accepted if a crash came between the two writes of a mark', async () => {
    await runAndStop()
    const before = { file: readFileSync(path), mark: readFileSync(`${path}-mark`, 'utf8') }
    await runUntilKilled()
    expect(readFileSync(`${path}-mark`, 'utf8')).toBe(readHeaderMark(path))
    // The list was written, and the header was not.
    writeFileSync(path, before.file)
    writeFileSync(`${path}-mark`, `${before.mark} ${readFileSync(`${path}-mark`, 'utf8')}`)
    expect(() => assertOwnLog(path)).not.toThrow()
  })

  it('is accepted if a reader kept the new mark out of the file', async () => {
    const storage = openSqlite(path)
    const [reader, db] = [openAgain(path), openAgain(path)]
    db.exec('create table filling (bytes blob)')
    reader.exec('begin; select * from merchants')
    for (let starts = 0; starts < 2; starts++) renewMark(db)
    expect(String(db.pragma('application_id', { simple: true }))).not.toBe(readHeaderMark(path))
    expect(() => assertOwnLog(path)).not.toThrow()
    reader.close()
    db.close()
    await storage.close()
  })

  it('is accepted if it is empty, as commands that only read leave it next to a copied file', async () => {
    await runAndStop()
    const file = copy('copied')
    await runAndStop()
    copyFileSync(file, path)
    expect(inspectDatabase(path)).toMatchObject({ right: { damage: [] } })
    expect(await backUp(path, `${path}.backup`)()).toEqual(E.right(expect.any(Number)))
    expect(existsSync(`${path}-wal`)).toBe(true)
    await runAndStop()
  })

  it('is accepted next to a file that has no marks yet', async () => {
    await runUntilKilled()
    rmSync(`${path}-mark`)
    await runAndStop()
  })
})
