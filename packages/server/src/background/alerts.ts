// An operator must learn about jobs that were given up or are stuck, and about requests to providers
// that keep failing. Each becomes a log line with an `alert` field to filter by. Contract §6.
import type { EffectResult } from '@plazo/core'
import type { CompletionResult, Job } from '@plazo/core/ports'
import { jobFields, type Log } from '../log/log.ts'

const WEEK = 7 * 86_400_000

// These are retried forever: a shopper's money, or the risk assessment of an order, depends on a
// provider.
const RETRIED_FOREVER: readonly string[] = ['refund', 'void', 'risk']

/** Logs an alert if the result of a job needs an operator. */
export const createAlerts =
  (log: Log) =>
  (job: Job, { error }: Pick<EffectResult, 'error'>, completion: CompletionResult): void => {
    const fields = jobFields(job)
    if (completion === 'stuck') log('stuck', fields)
    if (completion === 'exhausted') log('exhausted', { ...fields, reason: error })
    if (
      error !== null &&
      completion === 'retry' &&
      RETRIED_FOREVER.includes(job.payload.kind) &&
      job.startedAt - job.firstAt >= WEEK
    )
      log('failing', { ...fields, reason: error })
  }
