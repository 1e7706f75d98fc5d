export const postgresMerchants = (..._: readonly unknown[]): any => null
