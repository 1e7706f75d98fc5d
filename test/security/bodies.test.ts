// Checks the limit of the body size on every route of the route table, including routes that need no body. Contract §2, 413.
import { afterAll, expect, it } from 'vitest'
import { routesOf } from './fuzz/fuzz-route.ts'
import { openScene } from './fuzz/scene.ts'
import { caseOf, validRequest } from './valid-requests.ts'

const scene = await openScene()
afterAll(() => scene.stop())

const LIMIT = 64 * 1024
const NAMES = routesOf(scene).filter((name) => !name.startsWith('GET '))

const sendOfSize = async (name: string, bytes: number): Promise<Response> => {
  const { method, path, headers } = validRequest(name, await scene.at(caseOf(name).stage))
  return scene.send(path, { method, headers, body: 'x'.repeat(bytes) })
}

it.each(NAMES)('a body is 413 if it is too large: %s', async (name) => {
  const limit = caseOf(name).body?.limit ?? LIMIT
  expect((await sendOfSize(name, limit + 1)).status).toBe(413)
  expect((await sendOfSize(name, limit)).status).not.toBe(413)
})
