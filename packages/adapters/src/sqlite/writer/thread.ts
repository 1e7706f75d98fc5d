// The thread that `beside.ts` starts. It runs the writer with its own connection and its own vault.
import { parentPort, workerData } from 'node:worker_threads'
import { sealer } from '../../sealing/sealer.ts'
import { openDatabase } from '../database.ts'
import { sqliteVault } from '../vault.ts'
import type { Batch } from './batch.ts'
import type { WriterThreadData, WriterThreadTold } from './beside.ts'
import { sqliteWriter } from './writer.ts'

const { path, keyring, boot, patience, moments }: WriterThreadData = workerData
const db = openDatabase(path)

const tell = (told: WriterThreadTold): void => parentPort?.postMessage(told)

const waitAt = (heard: Int32Array) => (moment: 'before' | 'after') => {
  Atomics.store(heard, 0, 0)
  tell(moment)
  Atomics.wait(heard, 0, 0)
}

const writer = sqliteWriter(db, {
  vault: sqliteVault(db, sealer(keyring)),
  // Keeps its claim tokens different from those of the thread that started it.
  boot: `${boot}.beside`,
  monotonicNow: () => performance.now(),
  patience,
  onCommit: moments === null ? undefined : waitAt(moments),
})

parentPort?.on('message', (told: Batch | 'close') => {
  if (told !== 'close') return tell(writer.write(told))
  db.close()
  parentPort?.close()
})
tell('ready')
