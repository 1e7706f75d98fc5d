// An attempt's request, answer and reason are one encrypted value. They may contain anything,
// including the shopper's data, and encrypting them together costs a third of encrypting each.
import type { Report } from '@plazo/core/ports'
import { aadForReport, type DataKey, encrypt } from '../encryption/cipher.ts'

export type StoredReport = Pick<Report, 'errorReason' | 'request' | 'response'>

/** `n`: the attempt's number. */
export const encryptReport = (
  key: DataKey,
  deliveryId: number,
  n: number,
  { errorReason, request, response }: Report,
): Buffer => {
  const stored: StoredReport = {
    ...(errorReason !== undefined && { errorReason }),
    ...(request && { request }),
    response,
  }
  return encrypt(key, aadForReport(deliveryId, n), JSON.stringify(stored))
}

/**
 * The reports that a list reads of attempts whose responses it does not show: they are short, or have
 * a reason for the error.
 */
export const IS_ALWAYS_READ = `(length(report) <= 4096 or status between 300 and 399 or error = 'unreadable_answer')`
