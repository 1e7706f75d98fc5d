// A command next to a sandbox must know its clock and its fault drills, as the server does.
import { createTestClock } from '@plazo/adapters/sandbox'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ExtensionParts } from '../http/extension.ts'
import { createFaultDrills } from './webhooks/fault-drills.ts'

export const openBase = ({ records, clock: realClock, timers }: ExtensionParts) =>
  pipe(
    createTestClock(records, { realNow: realClock.now }),
    TE.bindTo('clock'),
    TE.let('drills', ({ clock }) => createFaultDrills({ records, clock, timers })),
    TE.tap(({ drills }) => drills.catchUp),
    TE.map(({ clock, drills }) => ({
      drills,
      clock,
      attempts: {
        complete: () => false,
        explainsSlowness: drills.explainsSlowness,
        faultsOf: drills.attemptFaults,
      },
    })),
  )
