// Lists the replies that each effect can get, most likely first. Property tests and stores draw from it.
import type { Entry, OrderEvent } from '@plazo/core'
import { MINUTE } from '@plazo/core/testing/contracts'

export const answersTo = ({ key, work }: Entry): readonly (OrderEvent | null)[] => {
  const answers = key
  switch (work.kind) {
    case 'screening':
      return (['approved', 'review', 'denied'] as const).map((outcome) => ({
        type: 'screening.resolved',
        answers,
        outcome,
        alternative: null,
      }))
    case 'timer':
      return [{ type: 'timer.fired', answers, timer: work.timer }]
    case 'ipn':
      return [
        { type: 'ipn.accepted', answers },
        { type: 'ipn.erred', answers },
        { type: 'ipn.conflicted', answers },
      ]
    case 'watch':
      return [null, { type: 'cancellation.advised', answers, delay: MINUTE }]
    case 'event':
      return work.event === 'cancel'
        ? [
            { type: 'cancel.agreed', answers },
            { type: 'cancel.deferred', answers, retryInMinutes: 5 },
            { type: 'cancel.refused', answers, lateByMinutes: null },
          ]
        : [null]
    default:
      return [null]
  }
}
