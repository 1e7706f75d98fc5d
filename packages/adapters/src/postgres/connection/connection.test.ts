import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Connection, reserveConnections, type Statement } from './connection.ts'

const LIST: Statement = { name: 'list', text: '' }
const WRITE: Statement = { name: 'write', text: '' }

/** Four fake connections. The test decides when each statement is answered. */
const four = () => {
  const underway: {
    readonly name: string
    readonly answer: () => void
    readonly fail: () => void
  }[] = []
  const query = ({ name }: Statement) =>
    new Promise<readonly never[]>((resolve, reject) => {
      underway.push({ name, answer: () => resolve([]), fail: () => reject(new Error('it failed')) })
    })
  const all = { query } as unknown as Connection
  const connection = reserveConnections(all, 4, (name) => name === 'write')
  return { connection, underway, names: () => underway.map(({ name }) => name) }
}

const waitTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('reserved connections', () => {
  it('are a quarter: other statements use three of four, and a write is sent immediately', async () => {
    const { connection, underway, names } = four()
    for (let n = 0; n < 6; n++) void connection.query(LIST)
    void connection.query(WRITE)
    await waitTurn()
    expect(names()).toEqual(['list', 'list', 'list', 'write'])
    for (const { answer } of [...underway]) answer() // so that none waits until its time is over
    await waitTurn()
    expect(underway).toHaveLength(7)
  })

  it('are given to the longest wait next, however the last one ended', async () => {
    const { connection, underway, names } = four()
    const failing = connection.query(LIST).catch(() => 'failed')
    for (let n = 0; n < 4; n++) void connection.query(LIST)
    void connection.query({ name: 'later', text: '' })
    await waitTurn()
    underway[0]?.fail()
    expect(await failing).toBe('failed')
    await waitTurn()
    expect(names()).toEqual(['list', 'list', 'list', 'list'])
    for (const { answer } of underway.slice(1, 3)) answer()
    await waitTurn()
    expect(names()).toEqual(['list', 'list', 'list', 'list', 'list', 'later'])
  })

  it('are waited for only for a limited time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { connection, underway } = four()
    for (let n = 0; n < 3; n++) void connection.query(LIST)
    const late = connection.query(LIST)
    const answer = expect(late).rejects.toThrow('timeout exceeded when trying to connect')
    vi.advanceTimersByTime(5_000)
    await answer
    for (const { answer } of [...underway]) answer()
    await waitTurn()
    void connection.query(LIST)
    await waitTurn()
    expect(underway).toHaveLength(4)
  })
})
