// The duties of the engine for every order: a replay gives the same result, no effect is lost,
// nothing happens unrequested, steps have one serial order, and there is always a way on.
import { laneOfKey } from '../../order/effects/effect.ts'
import type { Trace } from '../trace/trace.ts'
import { isSameJson } from '../trace/trace-queries.ts'
import { type Finding, findingAt, firstOf, type Invariant } from './invariant.ts'

const replayIsSame = firstOf('step', ({ step: { order, effects, journal }, replayed }) => {
  if (replayed === null) return null
  if (!isSameJson({ ...order, placed: null }, { ...replayed.order, placed: null }))
    return `Replayed, ${journal[0]?.event} leaves another order.`
  return isSameJson(effects, replayed.effects)
    ? null
    : `Replayed, ${journal[0]?.event} has other effects.`
})

const stepsAreSerial = (trace: Trace): Finding | null => {
  let before: unknown = null
  return firstOf('step', (each) => {
    if (before !== null && !isSameJson(each.before, before))
      return 'A step began where none had ended.'
    before = each.step.order
    return null
  })(trace)
}

const linesAreSerial = (trace: Trace): Finding | null => {
  let before: { readonly seq: number; readonly to: unknown } | null = null
  return firstOf('line', (each) => {
    if (before !== null && (each.seq !== before.seq + 1 || !isSameJson(each.from, before.to)))
      return `Line ${each.seq} of the history does not follow line ${before.seq}.`
    before = each
    return null
  })(trace)
}

type Due = { readonly dueAt: number; readonly isStarted: boolean }

/** Visits each index of the trace with the effects that are still open there, by key. */
const foldOpenEffects = (
  trace: Trace,
  visit: (index: number, open: ReadonlyMap<string, Due>) => Finding | null,
): Finding | null => {
  const open = new Map<string, Due & { readonly lane: string }>()
  for (const [index, each] of trace.entries.entries()) {
    if (each.part === 'step')
      for (const effect of each.step.effects) {
        if (effect.type === 'do')
          open.set(effect.key, { dueAt: effect.dueAt, isStarted: false, lane: effect.lane })
        if (effect.type === 'revoke')
          for (const [key, { lane }] of open) if (lane === effect.lane) open.delete(key)
      }
    if (each.part === 'work') {
      const job = open.get(each.key)
      if (job !== undefined && each.what === 'started')
        open.set(each.key, { ...job, isStarted: true })
      if (job !== undefined && each.what === 'retry')
        open.set(each.key, { ...job, dueAt: each.dueAt ?? job.dueAt, isStarted: false })
      if (['delivered', 'exhausted', 'stopped', 'unsupported', 'stuck'].includes(each.what))
        open.delete(each.key)
    }
    const finding = visit(index, open)
    if (finding !== null) return finding
  }
  return null
}

const noEffectIsLost = (trace: Trace): Finding | null =>
  foldOpenEffects(trace, (index, open) => {
    const idle = trace.entries[index]
    if (idle?.part !== 'idle') return null
    const heads = new Set<string>()
    for (const [key, { dueAt, isStarted }] of open) {
      // First in, first out: an effect behind another one in its lane is not due yet.
      const lane = laneOfKey(key)
      if (heads.has(lane)) continue
      heads.add(lane)
      if (!isStarted && dueAt <= idle.at)
        return findingAt(
          index,
          `${key} was due ${(idle.at - dueAt) / 1000} s ago, and was not started.`,
        )
    }
    return null
  })

const noUnrequestedEffect = ({ entries }: Trace): Finding | null => {
  const requested = new Set<string>()
  for (const [index, each] of entries.entries()) {
    if (each.part === 'step')
      for (const effect of each.step.effects) if (effect.type === 'do') requested.add(effect.key)
    if (each.part === 'work' && each.what === 'started' && !requested.has(each.key))
      return findingAt(index, `${each.key} was started, and no step has requested it.`)
  }
  return null
}

/**
 * The states in which neither the shopper, nor the operator, nor the merchant unasked moves the
 * order on.
 */
const WAITING = ['screening', 'confirming', 'holding', 'verified', 'unverified']

const waitingOrderHasPending = firstOf('step', (each) => {
  const { state, context } = each.step.order
  if (!WAITING.includes(state.checkout)) return null
  if (
    Object.keys(context.pending).filter((lane) => lane !== 'cards' && lane !== 'sms').length === 0
  )
    return `The order is ${state.checkout}, and awaits nothing.`
  return null
})

export const outboxRules: Invariant = {
  number: 20,
  name: 'determinism, recovery, progress',
  section: 'docs/architecture.md, Stores',
  clauses: [
    {
      claim: 'replayed on the stored order, an event makes the same order and the same effects',
      needs: ['step', 'replay'],
      check: replayIsSame,
    },
    {
      claim: 'each step begins where the one before ended',
      needs: ['step'],
      check: stepsAreSerial,
    },
    { claim: 'the history is one chain, without a gap', needs: ['line'], check: linesAreSerial },
    {
      claim: 'nothing that is to be done is lost',
      needs: ['step', 'work', 'idle'],
      check: noEffectIsLost,
    },
    {
      claim: 'nothing is done that no step has asked for',
      needs: ['step', 'work'],
      check: noUnrequestedEffect,
    },
    {
      claim: 'an order that waits awaits something',
      needs: ['step'],
      check: waitingOrderHasPending,
    },
  ],
}
