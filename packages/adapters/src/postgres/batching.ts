// Many questions at the same time are one statement, and the same question is asked once.
import { gathering } from './gathering.ts'

/** `isKey`: of anything else there is nothing to be found. */
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
