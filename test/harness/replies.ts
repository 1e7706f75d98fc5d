// Lists the replies that each effect can get, most likely first. Property tests and stores draw from it.
import type { Job, OrderEvent } from '@plazo/core'
import { MINUTE } from '@plazo/core/testing/contracts'

export const repliesTo = ({ key, work }: Job): readonly (OrderEvent | null)[] => {
  const inReplyTo = key
  switch (work.kind) {
    case 'screening':
      return (['approved', 'review', 'denied'] as const).map((outcome) => ({
        type: 'screening.resolved',
        inReplyTo,
        outcome,
        alternative: null,
      }))
    case 'timer':
      return [{ type: 'timer.fired', inReplyTo, timer: work.timer }]
    case 'ipn':
      return [
        { type: 'ipn.accepted', inReplyTo },
        { type: 'ipn.erred', inReplyTo },
        { type: 'ipn.conflicted', inReplyTo },
      ]
    case 'watch':
      return [null, { type: 'cancellation.advised', inReplyTo, delay: MINUTE }]
    case 'event':
      return work.event === 'cancel'
        ? [
            { type: 'cancel.agreed', inReplyTo },
            { type: 'cancel.deferred', inReplyTo, retryInMinutes: 5 },
            { type: 'cancel.refused', inReplyTo, lateByMinutes: null },
          ]
        : [null]
    default:
      return [null]
  }
}
