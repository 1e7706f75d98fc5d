// Batches reads: concurrent lookups share one statement, and a key that several callers ask for is looked up once.
import { batchCalls } from './gathering.ts'

/** `isKey`: false for a key that cannot exist; it is not looked up. */
export const batchReads = <A>(
  isKey: (key: string) => boolean,
  readAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, A>>,
  maxBatch: number,
): ((key: string) => Promise<A | undefined>) => {
  const read = batchCalls<string, A | undefined>(async (keys) => {
    const answers = await readAll([...new Set(keys)])
    return keys.map((key) => answers.get(key))
  }, maxBatch)
  return (key) => (isKey(key) ? read(key) : Promise.resolve(undefined))
}
