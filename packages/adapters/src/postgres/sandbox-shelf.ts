export const postgresSandboxShelf = (..._: readonly unknown[]): any => null
