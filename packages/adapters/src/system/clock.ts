// The computer's own clock.
import type { Clock } from '@plazo/core'

export const systemClock: Clock = { now: () => Date.now() }
