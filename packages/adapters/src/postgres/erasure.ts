// Erases a shopper in PostgreSQL. The old key is a dead row until the next vacuum, as
// docs/privacy-and-security.md says.
import type { ShopperErasure } from '@plazo/core/internal'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Dialect } from '../sql/dialect.ts'
import { createErasure } from '../sql/erasure.ts'

export const postgresErasure = (dialect: Dialect): ShopperErasure =>
  createErasure({
    ...dialect,
    snapshots: ['snapshots', 'order_id'],
    linkLine: function* () {},
    destroyCopies: TE.fromIO(dialect.sealer.forgetKeys),
  })
