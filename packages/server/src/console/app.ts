// The console is an app of its own, so that its pages are documents and forms, and nothing in it
// answers a program. Everything is behind the operator's credentials, also a path that does not exist.
import { Hono } from 'hono'
import { html } from 'hono/html'
import { operatorOf } from '../http/access.ts'
import { rootFrom } from '../http/page/page.ts'
import { HandlerError, showThrown, type ToErrorPage } from '../http/problem.ts'
import { checkBody } from '../http/request.ts'
import { value } from '../http/route.ts'
import type { Services } from '../http/services.ts'
import { decisionPages } from './decisions.ts'
import { endpointPages } from './endpoints.ts'
import { erasurePages } from './erasure.ts'
import { consolePages } from './frame.ts'
import { homePage } from './home.ts'
import { merchantPages } from './merchants.ts'
import { orderPages } from './order.ts'
import { ordersPages } from './orders.ts'

/**
 * Its paths begin after `/console`. `toErrorPage`: for somebody who is not signed in, who learns
 * nothing of the console.
 */
export const consoleApp = (services: Services, toErrorPage: ToErrorPage): Hono => {
  const { operator, frame, showError } = services
  const show = consolePages(frame)
  const toConsolePage: ToErrorPage = (c, status, detail) => {
    if (operatorOf(c) === undefined) return toErrorPage(c, status, detail)
    const back = c.error instanceof HandlerError ? c.error.back : ''
    const body = html`<h1>${detail}</h1>
<p><a href="${rootFrom(c)}console${back}">${back === '' ? 'Home' : 'Back'}</a></p>`
    return show(c, { title: detail, body }, status)
  }

  const app = new Hono()
  app.use('*', async (c, next) => {
    await value(operator(c))
    checkBody(c)
    await next()
  })
  for (const pages of [
    homePage,
    ordersPages,
    orderPages,
    decisionPages,
    erasurePages,
    endpointPages,
    merchantPages,
  ])
    app.route('/', pages({ ...services, show }))
  app.onError(showThrown(showError, toConsolePage))
  return app
}
