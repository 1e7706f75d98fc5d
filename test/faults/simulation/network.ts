// The network between the server and all others. Messages can be late, duplicated, reordered or
// lost, and an answer can be lost after the request had its effect.
import type { SeededRandom } from '../../harness/seeded-random.ts'
import type { Answered, ClientRequest } from '../../harness/shopper.ts'
import type { WorldState } from './world-state.ts'

/** `order`: the number of the order that the request is about. */
export type Request = ClientRequest & { readonly order: number }

/**
 * The current server, or null if none runs. Resolves to null if the server ends before it has
 * answered.
 */
export type Server = () => ((request: Request) => Promise<Answered | null>) | null

export type Network = {
  /** Null means that no answer came. The request may have had its effect. */
  readonly ask: (request: Request) => Promise<Answered | null>
  readonly latency: (draw: SeededRandom) => number
  readonly loses: (draw: SeededRandom) => boolean
}

const PATIENCE = 40_000

export const networkOf = (
  { scheduler, faultLevels, eventLog, ledger, stream }: WorldState,
  server: Server,
): Network => {
  const isBad = (): boolean => faultLevels.badNetwork > 0
  const latency = (draw: SeededRandom): number =>
    1 + 20 * draw.next() + (isBad() && draw.below(3) === 0 ? 8_000 * draw.next() : 0)
  const loses = (draw: SeededRandom): boolean => {
    const chance = draw.next()
    return !faultLevels.isCalm && chance < (isBad() ? 0.25 : 0.01)
  }

  const countLoss = (what: string, order: number): void => {
    eventLog.count('faults', what)
    eventLog.log(order, what)
  }

  const send = (
    request: Request,
    draw: SeededRandom,
    hear: (answered: Answered | null) => void,
  ): void => {
    const { order } = request
    if (loses(draw)) {
      countLoss('a request was lost', order)
      return
    }
    scheduler.after(latency(draw), async () => {
      const serve = server()
      if (serve === null) return hear(null)
      const answered = await serve(request)
      if (answered === null) return
      if (loses(draw)) return countLoss('an answer was lost', order)
      scheduler.after(latency(draw), () => hear(answered))
    })
  }

  return {
    latency,
    loses,
    ask: (request) =>
      new Promise((resolve) => {
        const draw = stream(request.order, 'network')
        const note = ledger.listen(request)
        let isOpen = true
        const patience = scheduler.after(PATIENCE, () => hear(null))
        const hear = (answered: Answered | null): void => {
          patience.cancel()
          if (isOpen) note(answered)
          isOpen = false
          resolve(answered)
        }
        send(request, draw, hear)
        if (!faultLevels.isCalm && draw.below(60) === 0) {
          countLoss('a request came twice', request.order)
          send(request, draw, hear)
        }
      }),
  }
}
