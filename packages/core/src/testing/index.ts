// What tests of the core and of its hosts are made from. fast-check is the caller's own.
export * from './arbitraries.ts'
