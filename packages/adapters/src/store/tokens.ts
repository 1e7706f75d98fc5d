// The token of an attempt, by which its result finds its job, also in another process.
import {
  type Job,
  type ManualTrigger,
  type OrderJob,
  type StartedAttempt,
  toUnavailable,
  type Unavailable,
  UnavailableError,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

export type ReleasedJob = Pick<Job, 'orderRef' | 'token' | 'startedAt'>

/** `claim`: counts the claims of the process. */
export type Claimed = StartedAttempt & { readonly claim: number }

export const startedAttempt = ({ token, startedAt }: ReleasedJob): Claimed => {
  const [n, tries, dueAt, cause, claim] = token.slice(token.lastIndexOf(' ') + 1).split('.')
  return {
    n: Number(n),
    tries: Number(tries),
    dueAt: Number(dueAt),
    cause: cause === '' ? null : (cause as ManualTrigger),
    startedAt,
    claim: Number(claim),
  }
}

export const tokenOf = (ref: string, { n, tries, dueAt, cause }: OrderJob, claim: number): string =>
  `${ref} ${n}.${tries}.${dueAt}.${cause ?? ''}.${claim}`

export const attempt =
  <Err, A>(run: () => Promise<E.Either<Err, A>>): TaskEither<Err | Unavailable, A> =>
  async () => {
    try {
      return await run()
    } catch (cause) {
      return E.left(toUnavailable(cause))
    }
  }

/** Rejects with an `UnavailableError` instead of a Left. */
export const getRight = async <A>(task: TaskEither<Unavailable, A>): Promise<A> => {
  const result = await task()
  if (E.isLeft(result)) throw new UnavailableError(result.left)
  return result.right
}
