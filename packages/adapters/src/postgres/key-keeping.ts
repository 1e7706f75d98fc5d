export const postgresKeyKeeping = (..._: readonly unknown[]): any => null
