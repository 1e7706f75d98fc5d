// At most so much of one key at a time, and the rest in turn: what waits for somebody else's answer holds connections, and
// threads that resolve names, which all have in common.
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

type Turns = { underWay: number; readonly waiting: (() => void)[] }

type TurnsOptions<Refusal> = {
  readonly atOnce: number
  /** So many wait for theirs; whoever comes then is told so, and nothing begins. */
  readonly waiting: number
  readonly refusal: Refusal
}

export const turnsOf = <Refusal>({ atOnce, waiting, refusal }: TurnsOptions<Refusal>) => {
  const turns = new Map<string, Turns>()

  // The place is handed on, so that nobody who comes just now takes it.
  const leave = (key: string, own: Turns): void => {
    const next = own.waiting.shift()
    if (next !== undefined) next()
    else {
      own.underWay -= 1
      if (own.underWay === 0) turns.delete(key)
    }
  }

  return <Err, A>(key: string, work: TaskEither<Err, A>): TaskEither<Err | Refusal, A> =>
    async () => {
      const own = turns.get(key) ?? { underWay: 0, waiting: [] }
      turns.set(key, own)
      if (own.underWay < atOnce) own.underWay += 1
      else if (own.waiting.length < waiting) await new Promise<void>((resolve) => own.waiting.push(resolve))
      else return E.left(refusal)
      try {
        return await work()
      } finally {
        leave(key, own)
      }
    }
}
