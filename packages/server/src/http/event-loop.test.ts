import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { batchRequests } from './event-loop.ts'

const aRequest = (url: string): [IncomingMessage, ServerResponse] => {
  const request = Object.assign(new IncomingMessage(new Socket()), { url })
  return [request, new ServerResponse(request)]
}

const waitTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('requests that arrive together', () => {
  it('are all read before the first is handled, and each is handled once, in the order of arrival', async () => {
    const handled: string[] = []
    const listener = batchRequests(({ url }) => void handled.push(url ?? ''))
    listener(...aRequest('/1'))
    listener(...aRequest('/2'))
    expect(handled).toEqual([])
    await waitTurn()
    expect(handled).toEqual(['/1', '/2'])
    listener(...aRequest('/3'))
    await waitTurn()
    expect(handled).toEqual(['/1', '/2', '/3'])
  })

  it('do not wait for the others if they are urgent', async () => {
    const handled: string[] = []
    const listener = batchRequests(
      ({ url }) => void handled.push(url ?? ''),
      ({ url }) => url === '/healthz',
    )
    listener(...aRequest('/1'))
    listener(...aRequest('/healthz'))
    expect(handled).toEqual(['/healthz'])
    await waitTurn()
    expect(handled).toEqual(['/healthz', '/1'])
  })

  it('leave requests that arrive meanwhile to the next turn', async () => {
    const handled: string[] = []
    const listener = batchRequests(({ url }) => {
      handled.push(url ?? '')
      if (url === '/1') listener(...aRequest('/2'))
    })
    listener(...aRequest('/1'))
    await waitTurn()
    expect(handled).toEqual(['/1'])
    await waitTurn()
    expect(handled).toEqual(['/1', '/2'])
  })

  it('are handled 32 at a time if there are more', async () => {
    const handled: string[] = []
    const listener = batchRequests(({ url }) => void handled.push(url ?? ''))
    const urls = Array.from({ length: 70 }, (_, n) => `/${n}`)
    for (const url of urls) listener(...aRequest(url))
    const positions: number[] = []
    for (let turn = 0; turn < 3; turn++) {
      await waitTurn()
      positions.push(handled.length)
    }
    expect(positions).toEqual([32, 64, 70])
    expect(handled).toEqual(urls)
  })
})
