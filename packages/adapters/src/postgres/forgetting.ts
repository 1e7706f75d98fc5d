export const postgresForgetting = (..._: readonly unknown[]): any => null
