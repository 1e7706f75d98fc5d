// The ID session behind `session_url`, as the sandbox plays it. Contract §8.

import { type Host, recordVerification } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Hono } from 'hono'
import { page } from '../pages/page.ts'
import { sessionPage } from '../pages/session.ts'
import { requestError } from '../problem.ts'
import { formBody, KIB, limitBody, uuidParam } from '../request.ts'
import { type AnswerError, answering } from './answers.ts'

const isStatus = (given: string | undefined): given is 'VERIFIED' | 'FAILED' | 'ERROR' =>
  given === 'VERIFIED' || given === 'FAILED' || given === 'ERROR'

export const verifyRoutes = (host: Host, answerError: AnswerError) => {
  const record = recordVerification(host)
  return new Hono()
    .get('/verify/:uuid/:token', (c) =>
      answering(c, answerError, pipe(TE.fromEither(uuidParam(c)), TE.chainW(host.store.read)), () =>
        page(c, sessionPage()),
      ),
    )
    .post('/verify/:uuid/:token', limitBody(64 * KIB), (c) =>
      answering(
        c,
        answerError,
        pipe(
          TE.fromEither(uuidParam(c)),
          TE.bindTo('orderRef'),
          TE.bindW('form', () => formBody(c)),
          TE.bindW('status', ({ form: { status } }) =>
            isStatus(status)
              ? TE.right(status)
              : TE.left(
                  requestError(
                    400,
                    `status is ${JSON.stringify(status ?? null)}, but must be VERIFIED, FAILED or ERROR.`,
                  ),
                ),
          ),
          TE.bindW('order', ({ orderRef, status }) => record(orderRef, c.req.param('token'), status)),
        ),
        ({ status }) => c.json({ status }),
      ),
    )
}
