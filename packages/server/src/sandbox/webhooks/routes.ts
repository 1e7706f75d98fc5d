// A merchant's webhooks as a page. The demo merchant's is open. Sandbox rules, Pages.
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { rootFrom } from '../../http/page/page.ts'
import { PAGE, query, type Route, route } from '../../http/route.ts'
import { DEMO_MERCHANT } from '../demo-merchant.ts'
import { sendToolPage } from '../layout.ts'
import type { SandboxServices, ToolOwner } from '../services.ts'
import { webhooksPage } from './page.ts'
import { readSentWebhooks } from './sent-webhooks.ts'
import { isAnswer } from './shop-answers.ts'

const SHOWN_MAX = 50

export const webhooksRoute = (
  { host, merchants, setting: { baseUrl } }: SandboxServices,
  { path, of, as, merchant }: ToolOwner,
): Route =>
  route(`GET ${path}/webhooks`, `show${of}Webhooks`, `See webhooks with their answers${as}`, {
    access: merchant,
    errors: 'page',
    parameters: { answer: query('How the demo shop answers an IPN at the URLs that are shown.') },
    ok: PAGE,
    handle: ({ ref }, _, c) =>
      pipe(
        readSentWebhooks({ host, merchants })({
          merchantRef: ref,
          orderRef: null,
          limit: SHOWN_MAX,
        }),
        TE.chainTaskK((webhooks) => () => {
          const chosen = c.req.query('answer') ?? ''
          const answer = isAnswer('ipn', chosen) ? chosen : ''
          return sendToolPage(c, {
            current: ref === DEMO_MERCHANT ? 'webhooks' : null,
            title: `Webhooks of ${ref}`,
            body: webhooksPage({ root: rootFrom(c), baseUrl, merchantRef: ref, answer, webhooks }),
            styles: ['sandbox/webhooks/style.css'],
            script: 'live-list',
            hasForms: true,
          })
        }),
      ),
  })
