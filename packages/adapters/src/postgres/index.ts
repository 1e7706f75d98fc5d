// @plazo/adapters/postgres: one PostgreSQL database stores all of plazo's data, so that any number of
// processes share it.
//
// ```ts
// import { parseKeyring } from '@plazo/adapters/encryption'
// import { openPostgres } from '@plazo/adapters/postgres'
//
// const keyring = parseKeyring(process.env.SECRET_KEY)
// if (keyring._tag === 'Left') throw new Error(`SECRET_KEY is ${keyring.left}.`)
// const url = process.env.DATABASE_URL ?? 'postgres://localhost/plazo'
// const storage = await openPostgres(url, { keyring: keyring.right })
// console.log(await storage.store.takesWrites())
// await storage.close()
// ```

export { openPostgres } from './open-storage.ts'
