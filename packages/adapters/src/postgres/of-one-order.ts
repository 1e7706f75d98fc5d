// The condition by which a statement finds the rows of an order that it changes. With a plain equation, a planner that takes
// the table for empty could read the whole index, because its sort order allows a merge. If the reference is in an array of
// one element, it can only be looked up.

/** True for the rows of `table` that belong to the order that the row of `given` names. */
export const belongsToOrder = (table: string, given: string): string =>
  `${table}.order_ref = any (array[${given}.order_ref])`
