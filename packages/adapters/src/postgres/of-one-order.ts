// How a statement that changes rows finds them. Written as an equation, the planner could walk through the whole index
// where it takes the table for empty: its order would serve a merge. In an array of one, the reference can only be looked up.

/** The rows of `table` are of the order that the row of `given` names. */
export const isOf = (table: string, given: string): string => `${table}.order_ref = any (array[${given}.order_ref])`
