// A command next to a sandbox must know its clock, as the server does.
import { createTestClock } from '@plazo/adapters/sandbox'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ExtensionParts } from '../http/extension.ts'

export const openBase = ({ records, clock: realClock }: ExtensionParts) =>
  pipe(
    createTestClock(records, { realNow: realClock.now }),
    TE.map((clock) => ({ clock })),
  )
