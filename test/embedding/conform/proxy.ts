// The bundled server behind a proxy that edits its answers, so that one mistake at a time can be
// planted in a server that is right otherwise.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { serve } from '@plazo/server'
import { composeInMode, configFrom } from '../../harness/config.ts'
import { freePort } from '../../harness/ports-and-folders.ts'

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** `call`: the method and the path, such as `POST /orders`. `sent`: the request's body. */
export type Edit = (answer: Answer, call: string, sent: string) => Answer

/** Headers of one connection, and of a body that has been read. */
const HOP = ['connection', 'content-encoding', 'content-length', 'host', 'transfer-encoding']

const withoutHop = (headers: Iterable<readonly [string, unknown]>) =>
  Object.fromEntries(
    [...headers].filter(([name]) => !HOP.includes(name)).map(([name, value]) => [name, `${value}`]),
  )

export const startProxy = async () => {
  const port = await freePort()
  let edit: Edit = (answer) => answer
  const proxy = createServer(async (request, response) => {
    const { method = '', url: path = '' } = request
    const sent = await text(request)
    const original = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: withoutHop(Object.entries(request.headers)),
      redirect: 'manual',
      ...(sent === '' ? {} : { body: sent }),
    })
    const { status, headers, body } = edit(
      {
        status: original.status,
        headers: withoutHop(original.headers),
        body: await original.text(),
      },
      `${method} ${path}`,
      sent,
    )
    response.writeHead(status, headers).end(body)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const config = configFrom({ DATABASE_URL: 'sqlite::memory:', PORT: `${port}`, BASE_URL: url })
  const server = await serve(config, () => {}, { compose: composeInMode })
  return {
    url,
    /** Edits all answers from now on. */
    plant: (change: Edit): void => {
      edit = change
    },
    close: async (): Promise<void> => {
      proxy.close()
      proxy.closeAllConnections()
      await server.stop()
    },
  }
}
