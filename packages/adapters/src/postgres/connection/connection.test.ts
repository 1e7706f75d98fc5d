import { expect, it } from 'vitest'
import { type Connection, reserveConnections, statement } from './connection.ts'

it('statements that orders depend on have connections of their own', async () => {
  const sent: string[] = []
  const aConnection = (name: string) =>
    ({
      query: async (sql: { readonly name: string }) => {
        sent.push(`${sql.name} on ${name}`)
        return []
      },
    }) as unknown as Connection
  const { query } = reserveConnections(
    aConnection('one'),
    aConnection('another'),
    (name) => name === 'write',
  )
  for (const name of ['list', 'write']) await query(statement(name)``)
  expect(sent).toEqual(['list on another', 'write on one'])
})
