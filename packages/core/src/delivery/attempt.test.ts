import { describe, expect, it } from 'vitest'
import { rejectionReason, truncateResponse } from './attempt.ts'

describe('the response that is kept', () => {
  it('is the whole of a short one', () => {
    expect(truncateResponse('{"result":"cancelled"} ñ ✓')).toBe('{"result":"cancelled"} ñ ✓')
    expect(truncateResponse('')).toBe('')
    expect(truncateResponse(null)).toBeNull()
  })

  it('is at most 16 KiB of a long one, and ends with a whole character', () => {
    expect(truncateResponse('x'.repeat(20_000))).toHaveLength(16_384)
    const cut = truncateResponse(`x${'✓'.repeat(20_000)}`) ?? ''
    expect(cut).toBe(`x${'✓'.repeat(5_461)}`)
    expect(new TextEncoder().encode(cut)).toHaveLength(16_384)
    expect(truncateResponse(`xxx${'🙂'.repeat(20_000)}`)).toBe(`xxx${'🙂'.repeat(4_095)}`)
  })
})

describe('an answer that is not accepted', () => {
  const heard = (status: number) => ({ status, retryAfter: null, body: null })

  it('is so for its status, or for what a cancel’s body says', () => {
    expect(rejectionReason(heard(500), [])).toBe('unaccepted_status')
    expect(rejectionReason(heard(204), [200])).toBe('unaccepted_status')
    expect(rejectionReason(heard(200), [200])).toBe('unreadable_answer')
  })
})
