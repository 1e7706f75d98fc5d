// The names of states as the Order API, the console and the history spell them: verifying_phone. Pictures use the same.
import type { GraphState } from '@plazo/core/diagram'

export const wireNameOf = (name: string, _state?: GraphState): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
