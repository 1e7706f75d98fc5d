// At most so much of one key at a time: what waits for somebody else's answer holds connections, and threads that resolve
// names, which all have in common.
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** Left `refusal`, and nothing begun, where the key has its share underway. */
export const shares = <Refusal>(most: number, refusal: Refusal) => {
  const underWay = new Map<string, number>()

  const leave = (key: string): void => {
    const left = (underWay.get(key) ?? 1) - 1
    if (left === 0) underWay.delete(key)
    else underWay.set(key, left)
  }

  return <Err, A>(key: string, work: TaskEither<Err, A>): TaskEither<Err | Refusal, A> =>
    async () => {
      const before = underWay.get(key) ?? 0
      if (before >= most) return E.left(refusal)
      underWay.set(key, before + 1)
      try {
        return await work()
      } finally {
        leave(key)
      }
    }
}
