// Simulates the ID session behind `session_url` in the sandbox. Contract §8.

import { type Host, recordVerification, SessionForm, type SessionView } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Hono } from 'hono'
import type * as t from 'io-ts'
import { decode } from '../decoded.ts'
import { page } from '../pages/page.ts'
import { sessionPage } from '../pages/session.ts'
import { BODY_KIB_MAX, formBody, limitBody, uuidParam } from '../request.ts'
import { type AnswerError, respond } from './answers.ts'

export const verifyRoutes = (host: Host, answerError: AnswerError) => {
  const record = recordVerification(host)
  return new Hono()
    .get('/verify/:uuid/:token', (c) =>
      respond(c, answerError, pipe(TE.fromEither(uuidParam(c)), TE.chainW(host.store.read)), () =>
        page(c, sessionPage()),
      ),
    )
    .post('/verify/:uuid/:token', limitBody(BODY_KIB_MAX), (c) =>
      respond(
        c,
        answerError,
        pipe(
          TE.fromEither(uuidParam(c)),
          TE.bindTo('orderRef'),
          TE.bindW('form', () => formBody(c, ['status'])),
          TE.bindW('ended', ({ form }) => TE.fromEither(decode(SessionForm, form))),
          TE.bindW('order', ({ orderRef, ended }) => record(orderRef, c.req.param('token'), ended.status)),
        ),
        ({ ended: { status } }) => c.json({ status } satisfies t.TypeOf<typeof SessionView>),
      ),
    )
}
