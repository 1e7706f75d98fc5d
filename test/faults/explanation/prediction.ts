// Checks explanations as predictions: what an explanation says would happen by itself must be the
// next thing that happens, with its state, its effects and its money.

import { isOver } from '@plazo/core/internal'
import type {
  Explanation,
  ExplanationFacts,
} from '../../../packages/core/src/explanation/explanation.ts'
import { paidTotal, refundedTotal } from '../../../packages/core/src/order/reduction.ts'
import { comparable, leaveAlone, type Noted, sameState, storyOf, worldOf } from './world.ts'

type Checked = {
  explanations: number
  /** How many explanations named each event, and how many none. */
  readonly named: Record<string, number>
  readonly wrong: string[]
}

type Made = { readonly facts: ExplanationFacts; readonly explanation: Explanation }

const moneyOf = ({ before, step }: Noted) => ({
  refunded: refundedTotal(step.order.context) - refundedTotal(before.context),
  charged: paidTotal(step.order.context) - paidTotal(before.context),
})

/** What differs between an explanation and what has happened. Null: nothing. */
const differenceOf = ({ explanation }: Made, noted: Noted): string | null => {
  const { byItself } = explanation
  if (byItself === null) return `nothing, and ${noted.event.type} happened`
  const { refunded, charged } = moneyOf(noted)
  const { isLatest } = byItself
  const sides: readonly (readonly [string, unknown, unknown])[] = [
    ['event', byItself.event, noted.event.type],
    [
      'at',
      isLatest ? Math.max(byItself.at, noted.at) : byItself.at,
      isLatest ? byItself.at : noted.at,
    ],
    ['state', sameState(byItself.state, noted.step.order.state), true],
    ['effects', comparable(byItself.effects, isLatest), comparable(noted.step.effects, isLatest)],
    ['refunded', byItself.refunded, refunded],
    ['charged', byItself.charged, charged],
  ]
  const wrong = sides.find(
    ([, said, happened]) => JSON.stringify(said) !== JSON.stringify(happened),
  )
  return wrong === undefined
    ? null
    : `${wrong[0]} ${JSON.stringify(wrong[1])}, and it was ${JSON.stringify(wrong[2])} (${noted.event.type})`
}

/** Runs one story, and checks each explanation that is made while nobody answers. */
const checkStory = async (seed: number, checked: Checked): Promise<void> => {
  const story = storyOf(seed)
  const world = await worldOf(story)
  let open: Made[] = []
  const fail = (statement: Made, difference: string) => {
    checked.wrong.push(
      `seed ${seed}, ${JSON.stringify(statement.facts.order.state)} at ${new Date(statement.facts.at).toISOString()}: said ${difference}`,
    )
  }
  await leaveAlone(world, story, {
    onExplained: (facts, explanation) => {
      checked.explanations += 1
      const { byItself, awaits } = explanation
      if (awaits.length === 0 && !isOver(facts.order.state))
        fail({ facts, explanation }, 'that nobody is awaited')
      const name = `${byItself?.event ?? 'nothing'}${byItself?.isLatest ? ' after an attempt in flight' : ''}`
      checked.named[name] = (checked.named[name] ?? 0) + 1
      open.push({ facts, explanation })
    },
    onChanged: (noted) => {
      for (const statement of open) {
        const difference = differenceOf(statement, noted)
        if (difference !== null) fail(statement, difference)
      }
      open = []
    },
  })
  for (const statement of open) {
    const { byItself } = statement.explanation
    if (byItself !== null)
      fail(
        statement,
        `${byItself.event} at ${new Date(byItself.at).toISOString()}, and nothing happened`,
      )
  }
}

/** Checks at least this many explanations, from one seed on. Stops at the first wrong ones. */
export const checkExplanations = async (count: number, seed: number): Promise<Checked> => {
  const checked: Checked = { explanations: 0, named: {}, wrong: [] }
  for (let next = seed; checked.explanations < count && checked.wrong.length === 0; next++) {
    await checkStory(next, checked)
  }
  return checked
}
