// SQLite damages a database if it opens it with the write-ahead log of another file, for example
// after a backup was copied over the former file only. So each file has a random mark in its header
// (`application_id`), and a file next to it lists the marks that its log may belong to. Both are read
// before SQLite opens anything.
import { randomInt } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type Sqlite from 'better-sqlite3'
import { isFull } from './write-ahead-log.ts'

// Where SQLite's file format has the application_id.
const HEADER_OFFSET = 68

/** Empty: the database has no marks yet. */
const readMarks = (path: string): string =>
  existsSync(`${path}-mark`) ? readFileSync(`${path}-mark`, 'utf8') : ''

/** Of a file as it is without its log; 0 if it has none. */
export const readHeaderMark = (path: string): string => {
  const header = Buffer.alloc(4)
  // The descriptor stays open: closing it would drop the locks of this process's other connections
  // to the file.
  if (existsSync(path)) readSync(openSync(path, 'r'), header, 0, header.length, HEADER_OFFSET)
  return String(header.readInt32BE())
}

/** Makes the last changes of a file or folder durable. */
export const flush = (path: string): void => {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

/** Call it while nobody else can write to the database. */
export const writeMarks = (path: string, marks: readonly string[]): void => {
  const part = `${path}-mark.part`
  writeFileSync(part, [...new Set(marks)].join(' '), { mode: 0o600, flush: true })
  renameSync(part, `${path}-mark`)
  flush(dirname(path))
}

/** Throws (`code` DATABASE_LOG) if the log next to a file belongs to another file. */
export const assertOwnLog = (path: string): void => {
  // An empty log belongs to any file. A command that only reads leaves one, such as a backup.
  if (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size === 0) return
  const logs = [`${path}-wal`, `${path}-shm`].filter(existsSync)
  for (let marks = readMarks(path); logs.length > 0 && marks !== ''; ) {
    if (marks.split(' ').includes(readHeaderMark(path))) return
    const before = marks
    marks = readMarks(path)
    // Otherwise another process has started between the two reads.
    if (marks === before)
      throw Object.assign(
        new Error(`it has the write-ahead log of another file: ${logs.join(' and ')}`),
        { code: 'DATABASE_LOG' },
      )
  }
}

/** Gives a database a mark of which no copy exists yet. Returns it. */
export const setMark = (db: Sqlite.Database): string => {
  const mark = String(randomInt(1, 2 ** 31))
  db.pragma(`application_id = ${mark}`)
  return mark
}

const markOf = (db: Sqlite.Database): string =>
  String(db.pragma('application_id', { simple: true }))

/**
 * Gives an open database a new mark. At each moment the list has the mark in the file's header and
 * the one in the log, so a crash on the way refuses no start. If the disk is full, the former mark
 * stays.
 */
export const renewMark = (db: Sqlite.Database): void => {
  if (db.memory || isFull(db)) return
  const path = db.name
  try {
    const mark = db
      .transaction(() => {
        const former = markOf(db)
        const added = setMark(db)
        writeMarks(path, [...readMarks(path).split(' ').filter(Boolean), former, added])
        return added
      })
      .immediate()
    const [log] = db.pragma('wal_checkpoint(passive)') as readonly {
      readonly log: number
      readonly checkpointed: number
    }[]
    if (log?.log !== log?.checkpointed) return
    // Forgets the former mark.
    db.transaction(() => {
      if (markOf(db) === mark) writeMarks(path, [mark])
    }).immediate()
  } catch {}
}
