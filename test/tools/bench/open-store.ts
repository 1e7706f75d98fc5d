// Opens a store in this process, without a server, from the URL that a server would use.

import { openSqlite, type Storage } from '@plazo/adapters/internal/sqlite'
import { openPostgres } from '@plazo/adapters/postgres'
import { keyringOf } from '../../harness/secret-keys.ts'
import { SECRET_KEY } from './plazo.ts'

export type OpenedStore = Pick<Storage, 'store' | 'merchants' | 'close'>

export const openStoreAt = async (url: string): Promise<OpenedStore> => {
  const keyring = keyringOf(SECRET_KEY)
  return url.startsWith('sqlite:')
    ? openSqlite(url.slice('sqlite:'.length), { keyring })
    : openPostgres(url, { keyring })
}
