// Serves the metrics that Prometheus scrapes. Contract §7.
import { Hono } from 'hono'
import type { Metrics } from '../metrics.ts'
import { type AnswerError, respond } from './answers.ts'

export const metricsRoutes = ({ scrape, contentType }: Metrics, answerError: AnswerError) =>
  new Hono().get('/metrics', (c) =>
    respond(c, answerError, scrape, (text) =>
      c.body(text, 200, { 'content-type': contentType, 'cache-control': 'no-store' }),
    ),
  )
