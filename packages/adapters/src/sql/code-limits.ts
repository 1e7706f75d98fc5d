// How many codes a number may get, in the SQL of both stores. A row has the instants of a number's codes.
// One statement adds an instant, or finds that the number has had its codes, so that no two nodes count
// past the limits.
import { LIMITS } from '@plazo/core/internal'

const HOUR = 3_600_000

const DAY = 24 * HOUR

/** `at`: of the new code. `value`: the instant of an earlier one. Both are SQL. */
export const codeIsOfDay = (at: string, value: string): string => `${value} > ${at} - ${DAY}`

/** The condition, over the codes of the day, that the number may get another one. */
export const mayGetCode = (at: string, value: string): string =>
  `count(*) < ${LIMITS.codesInADay} and count(*) filter (where ${value} > ${at} - ${HOUR}) < ${LIMITS.codesInAnHour}`
