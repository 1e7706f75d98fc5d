// The console is an app of its own, so that its pages are documents and forms, and nothing in it
// answers a program. Everything is behind the operator's credentials, also a path that does not exist.
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { methodNotAllowed, pageOfProblem } from '../http/answers.ts'
import { limitBody } from '../http/body.ts'
import { addHeaders, answerHeaders } from '../http/browser-security.ts'
import { rootFrom } from '../http/page/page.ts'
import { problem } from '../http/problem.ts'
import { decisionPages } from './decisions.ts'
import { erasurePages } from './erasure.ts'
import { type ConsoleAppParts, type ConsoleEnv, ConsoleError, value } from './handler.ts'
import { orderPages } from './order.ts'

export const consoleApp = (parts: ConsoleAppParts): Hono<ConsoleEnv> => {
  const headers = answerHeaders(parts.usesHsts)
  const showError = (c: Context<ConsoleEnv>, answer: Response, back: string) =>
    pageOfProblem(async (_, status, detail) => {
      // A stranger learns nothing of the console.
      if (c.get('operator') === undefined) return parts.toErrorPage(c, status, detail)
      const body = html`<h1>${detail}</h1>
<p><a href="${rootFrom(c)}console${back}">${back === '' ? 'Home' : 'Back'}</a></p>`
      return parts.show(c, { title: detail, area: null, body }, status)
    })(c, answer)

  const app = new Hono<ConsoleEnv>()
  app.use('*', async (c, next) => {
    await next()
    addHeaders(c.res, headers)
  })
  app.use('*', async (c, next) => {
    await value(parts.operator(c))
    await next()
  })
  app.post('*', limitBody())
  for (const pages of [orderPages, decisionPages, erasurePages]) app.route('/', pages(parts))
  for (const [path, routes] of Map.groupBy(app.routes, ({ path }) => path))
    if (!path.endsWith('*')) app.all(path, methodNotAllowed(routes.map(({ method }) => method)))
  app.all('*', (c) => showError(c, problem(c, 404, 'Not found.'), ''))
  app.onError((thrown, c) => {
    const { error, back } =
      thrown instanceof ConsoleError
        ? thrown
        : new ConsoleError({ _tag: 'InternalError', cause: thrown }, '')
    return showError(c, parts.answerError(c, error), back)
  })
  return app
}
