// Jobs about different orders go through their phases together: all look, then all seal, all write. One step runs through
// more code than a processor's caches hold, and waits for it most of its time; the code of one phase fits, and is waited
// for once for all of them.

/**
 * A job that reads and writes one order alone. At each `yield` of its generator the others of its wave come as far before
 * it goes on. The generator's function is made once, and not for each job: V8 keeps what such a function's closure holds
 * until it collects the whole heap, once it has been called.
 */
export type Phased<A> = { readonly about: string; readonly phases: () => Iterator<undefined, A> }

/** A function may look at anything: while it runs, no other job is underway. */
export type Job<A> = (() => A) | Phased<A>

const isPhased = <A>(job: Job<A>): job is Phased<A> => typeof job !== 'function'

// A third of it gains nearly as much; the time is looked at between one wave and the next.
const JOBS_PER_WAVE = 48

/** How many from there on go together: jobs in phases, each about an order of its own. */
export const waveFrom = (jobs: readonly Job<unknown>[], from: number): number => {
  const orders = new Set<string>()
  let end = from
  for (let job = jobs[end]; job !== undefined && isPhased(job) && !orders.has(job.about); job = jobs[++end]) {
    orders.add(job.about)
    if (orders.size === JOBS_PER_WAVE) return orders.size
  }
  return Math.max(1, orders.size)
}

/** Their results, in their order. */
export const runTogether = (wave: readonly Job<unknown>[]): readonly unknown[] => {
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

export const runAlone = <A>(job: Job<A>): A => runTogether([job])[0] as A
