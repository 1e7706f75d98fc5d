// The faults that a drill of the sandbox can cause. Drills and the labels of attempts both name them. Contract §8, Fault drills.
import type * as t from 'io-ts'
import { refined } from './scalars.ts'

/** Faults of plazo or of the network, which the shop's receiver must survive. The shop is called. */
export const SHOP_DRILLS = ['duplicate', 'delay', 'reorder', 'late_cancel', 'wrong_signature'] as const

/** Faults of a shop. The sandbox answers in its place, and the shop is not called. */
export const STAND_IN_DRILLS = ['slow', 'hang', 'error_then_ok', 'not_json', 'conflict', 'gone', 'redirect'] as const

export type ShopDrill = (typeof SHOP_DRILLS)[number]
export type StandInDrill = (typeof STAND_IN_DRILLS)[number]
export type Fault = ShopDrill | StandInDrill

const oneOf = <Word extends string>(words: readonly Word[]): t.Type<Word> =>
  refined(`one of ${words.join(', ')}`, { type: 'string', enum: words }, (value): value is Word =>
    words.some((word) => word === value),
  )

export const FaultName = oneOf<Fault>([...SHOP_DRILLS, ...STAND_IN_DRILLS])
