// A database of a test's own in the PostgreSQL of the whole run, with plazo's schema and nothing in it.
import { inject } from 'vitest'

export type FreshDatabase = {
  readonly url: string
  /** Another test may have it then, emptied. */
  readonly drop: () => Promise<void>
}

const ask = async (init?: RequestInit): Promise<string> => {
  const answer = await fetch(inject('postgres'), init)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}

export const freshDatabase = async (): Promise<FreshDatabase> => {
  const url = await ask()
  return {
    url,
    drop: async () => {
      await ask({ method: 'DELETE', body: url })
    },
  }
}
