// Lists and counts the tasks of operators, for all merchants or for one. Each needs an index of its
// own, so there are two statements.
import type { OperatorTaskCount } from '@plazo/core/ports'

/** `name`: tells the two statements from each other. */
type WriteTasksSql<Statement> = (
  isOfMerchant: (placeholder: string) => string,
  name: string,
) => Statement

/** Returns the statement for a merchant, or for all if there is none. Both bind the merchant first. */
export const tasksStatements = <Statement>(write: WriteTasksSql<Statement>) => {
  const ofAll = write((placeholder) => `${placeholder} is null`, '')
  const ofMerchant = write((placeholder) => `t.merchant_ref = ${placeholder}`, '-of-merchant')
  return (merchantRef: string | null): Statement => (merchantRef === null ? ofAll : ofMerchant)
}

/** `count`: up to one more than are counted. */
export type TaskRow = Omit<OperatorTaskCount, 'isExact'>

export const toTaskCount = ({ count, ...row }: TaskRow, max: number): OperatorTaskCount => ({
  ...row,
  count: Math.min(count, max),
  isExact: count <= max,
})
