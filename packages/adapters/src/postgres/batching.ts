// Batches reads: concurrent lookups share one statement, and a key that several callers ask for is looked up once.
import { gathering } from './gathering.ts'

/** `isKey`: false for a key that cannot exist; it is not looked up. */
export const batching = <A>(
  isKey: (key: string) => boolean,
  askAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, A>>,
  together: number,
): ((key: string) => Promise<A | undefined>) => {
  const ask = gathering<string, A | undefined>(async (keys) => {
    const answers = await askAll([...new Set(keys)])
    return keys.map((key) => answers.get(key))
  }, together)
  return (key) => (isKey(key) ? ask(key) : Promise.resolve(undefined))
}
