// Runs jobs about different orders phase by phase: all jobs read, then all encrypt, then all write. The code of a whole step is
// larger than a processor's caches, so a step on its own spends most of its time waiting for code. The code of one phase fits
// into the caches, and all jobs wait for it only once.

/**
 * A job that reads and writes only one order. At each `yield` it waits until the other jobs of its wave have come as far. The
 * generator function must be created once, not per job: once it has been called, V8 keeps the contents of its closure until
 * it collects the whole heap.
 */
export type Phased<A> = { readonly about: string; readonly phases: () => Iterator<undefined, A> }

/** A plain function may read and write anything: no other job is in progress while it runs. */
export type WriterJob<A> = (() => A) | Phased<A>

const isPhased = <A>(job: WriterJob<A>): job is Phased<A> => typeof job !== 'function'

// A third of this number gains nearly as much. The time limit is checked between waves.
const JOBS_PER_WAVE = 48

/** The number of jobs, from `from` on, that run together: phased jobs about different orders. At least 1. */
export const waveFrom = (jobs: readonly WriterJob<unknown>[], from: number): number => {
  const orders = new Set<string>()
  let end = from
  for (let job = jobs[end]; job !== undefined && isPhased(job) && !orders.has(job.about); job = jobs[++end]) {
    orders.add(job.about)
    if (orders.size === JOBS_PER_WAVE) return orders.size
  }
  return Math.max(1, orders.size)
}

/** Returns the results in the order of the jobs. */
export const runTogether = (wave: readonly WriterJob<unknown>[]): readonly unknown[] => {
  const results: unknown[] = []
  let underway = wave.flatMap((job, n) => {
    if (isPhased(job)) return [{ n, phases: job.phases() }]
    results[n] = job()
    return []
  })
  while (underway.length > 0)
    underway = underway.filter(({ n, phases }) => {
      const reached = phases.next()
      if (reached.done === true) results[n] = reached.value
      return reached.done !== true
    })
  return results
}

export const runAlone = <A>(job: WriterJob<A>): A => runTogether([job])[0] as A
