// The sandbox's own endpoints: the messages that were sent, the triggers, and the clock. Contract §8.
import { SANDBOX_CODE, TEST_CARDS, TRIGGERS } from '@plazo/adapters/sandbox'
import { AdvancePayload, type ClockView, type SmsSent, type TriggerCatalogue } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { identity, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import { stream } from 'hono/streaming'
import type * as t from 'io-ts'
import type { TestClockControl } from '../background/test-clock.ts'
import { problem, problemText, type RequestError, requestError } from '../http/problem.ts'
import { jsonBody, limitBody, UUID } from '../http/request.ts'
import { wantsPage } from './answers.ts'
import { sandboxTools } from './sandbox-tools.ts'
import type { SandboxServices } from './services.ts'

const KEEP_ALIVE = 10_000

// A year of five digits is written differently, and an instant after the year 275760 cannot be written.
const END_OF_TIME = Date.UTC(10_000, 0)

const catalogue: TriggerCatalogue = {
  triggers: TRIGGERS.map(({ surnames, note, path }) => ({ surnames, note, path })),
  otp: { code: SANDBOX_CODE, note: 'accepted wherever the code from the SMS is accepted' },
  cards: TEST_CARDS.map(({ number, does }) => ({ number, does, expiry: 'any future month, MM/YY', cvc: 'any' })),
}

/** The uuid of an order, in any case; null if the request names none. */
const orderNamed = (c: Context): E.Either<RequestError, string | null> => {
  const named = c.req.query('order_ref') ?? ''
  if (named === '') return E.right(null)
  return UUID.test(named) ? E.right(named.toLowerCase()) : E.left(requestError(400, NOT_A_UUID))
}

const NOT_A_UUID = 'order_ref must be the uuid of an order.'

export const sandboxRoutes = (services: SandboxServices) => {
  const { respond, respondPage, sandbox } = services
  const { messages, time } = sandbox
  const pages = sandboxTools(services)
  return new Hono()
    .get('/sandbox/triggers', async (c) => (wantsPage(c) ? pages.triggers(c) : c.json(catalogue)))
    .get('/sandbox/messages', (c) => {
      const orderRef = TE.fromEither(orderNamed(c))
      return wantsPage(c)
        ? pipe(
            orderRef,
            TE.chainW((ref) => pages.messages(c, ref)),
            respondPage(c, identity),
          )
        : pipe(
            orderRef,
            TE.filterOrElseW(
              (ref) => ref !== null,
              () => requestError(400, `order_ref is missing. ${NOT_A_UUID}`),
            ),
            TE.chainW(messages),
            respond(c, (list) =>
              c.json(
                list.map(({ at, to, text, code }): SmsSent => ({ at: new Date(at).toISOString(), to, text, code })),
              ),
            ),
          )
    })
    .get('/sandbox/clock', async (c) =>
      wantsPage(c)
        ? pipe(pages.clock(c), respondPage(c, identity))
        : c.json({ now: new Date(time.now()).toISOString() } satisfies t.TypeOf<typeof ClockView>),
    )
    .post('/sandbox/clock/advance', limitBody(), (c) =>
      pipe(
        jsonBody(c),
        TE.filterOrElseW(AdvancePayload.is, () => requestError(400, 'seconds must be a number, 0 or more.')),
        TE.tap(() => time.catchUp),
        TE.map(({ seconds }) => Math.round(seconds * 1000)),
        TE.filterOrElseW(
          (millis) => time.now() + millis < END_OF_TIME,
          () => requestError(400, 'seconds must not move the clock past the year 9999.'),
        ),
        respond(c, (millis) => answerAdvance(c, time.advance(millis))),
      ),
    )
    .post('/sandbox/clock/next', limitBody(), (c) =>
      pipe(
        time.catchUp,
        respond(c, () => answerAdvance(c, time.advanceToNext())),
      ),
    )
}

const answerAdvance = (c: Context, advance: ReturnType<TestClockControl['advance']>): Response => {
  if (advance === null) return problem(c, 409, 'The clock is already being advanced.')
  c.header('content-type', 'application/json')
  // Headers and a blank are sent immediately, so that no client gives up during a long advance.
  return stream(c, async (out) => {
    await out.write(' ')
    const blanks = setInterval(() => void out.write(' '), KEEP_ALIVE)
    try {
      const advanced = await advance
      await out.write(
        E.isRight(advanced)
          ? JSON.stringify(advanced.right)
          : problemText(503, 'The service is temporarily unavailable. Try again.'),
      )
    } finally {
      clearInterval(blanks)
    }
  })
}
