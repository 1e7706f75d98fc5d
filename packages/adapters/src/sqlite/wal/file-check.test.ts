import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { pathOfTest } from '../../../../../test/harness/path-of-test.ts'
import { openDatabase } from '../schema/database.ts'
import { checkAfterUncleanStop } from './file-check.ts'

const PAGE = 4_096
const LONG = 60_000

/** A database of a killed server; `damage` changes the pages of a table. */
const leftDatabase = (damage: (page: Buffer) => void): string => {
  const path = pathOfTest('plazo.db')
  const db = openDatabase(path)
  db.exec('create table filling (bytes blob); create index filled on filling (bytes)')
  const insert = db.prepare('insert into filling values (?)')
  for (let n = 0; n < 500; n++) insert.run(`filling-${n}`)
  const [page] = db
    .prepare<[], number>("select rootpage from sqlite_schema where name = 'filled'")
    .pluck()
    .all()
  db.pragma('wal_checkpoint(truncate)')
  const left = `${path}.left`
  copyFileSync(path, left)
  writeFileSync(`${left}-wal`, '')
  db.close()
  const file = readFileSync(left)
  const start = ((page ?? 1) - 1) * PAGE
  damage(file.subarray(start, start + PAGE))
  writeFileSync(left, file)
  return left
}

it.each<[string, (page: Buffer) => void]>([
  ['was overwritten', (page) => page.fill(0)],
  ['has a wrong header', (page) => page.writeUInt16BE(0xffff, 3)],
])('finds that a page %s', async (_, damage) => {
  await expect(checkAfterUncleanStop(leftDatabase(damage), LONG)).rejects.toMatchObject({
    code: 'SQLITE_CORRUPT',
    message: expect.stringContaining('the file is damaged'),
  })
})

it('accepts an intact file, and does not wait longer than it may', async () => {
  const path = leftDatabase(() => {})
  await checkAfterUncleanStop(path, LONG)
  await checkAfterUncleanStop(path, 1)
})

it('leaves a file that is no database to the opening', async () => {
  const path = pathOfTest('plazo.db')
  for (const end of ['', '-wal']) writeFileSync(path + end, 'no database')
  await checkAfterUncleanStop(path, LONG)
})
