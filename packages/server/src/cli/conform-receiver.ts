// The merchant's side of a check: records every request, and answers each path as the check says, so
// that a server's deliveries, retries and negotiations can be judged.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { MerchantSide, ReceivedRequest } from '@plazo/core/internal/testing'

export type CheckReceiver = MerchantSide & { readonly close: () => Promise<void> }

/**
 * Listens on the loopback address. `port`: 0 for any. `publicUrl`: the address at which the server
 * reaches it, if it is another one.
 */
export const openCheckReceiver = async (
  port = 0,
  publicUrl?: string | undefined,
): Promise<CheckReceiver> => {
  const received: ReceivedRequest[] = []
  const answers = new Map<string, ReceivedRequest['answer']>()
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString()
    const path = (request.url ?? '').split('?')[0] ?? ''
    const answer = answers.get(path) ?? { status: 200, body: '' }
    received.push({ path, headers: request.headers, body, answer })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return {
    url: publicUrl ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => received,
    answer: (path, status, body = '') => void answers.set(path, { status, body }),
    close: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
