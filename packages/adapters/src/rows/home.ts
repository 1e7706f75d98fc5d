// An opened database. Callers use this type whether it is one file or a database that many servers share.
import type { Clock, Merchants, ShopperErasure, Store } from '@plazo/core'
import type { SandboxShelf } from '../sandbox/shelf.ts'
import type { KeyKeeping } from '../sealing/key-keeping.ts'
import type { Keyring } from '../sealing/keyring.ts'

export type Home = {
  readonly store: Store
  readonly merchants: Merchants
  readonly shelf: SandboxShelf
  /** The master keys that it is encrypted under: the keys given, or its own. */
  readonly keyring: Keyring
  readonly keys: KeyKeeping
  readonly forgetting: ShopperErasure
  /** Real time: this computer's clock or, if many servers share the database, the database's clock. */
  readonly clock: Clock
  /** True if the database answers and accepts writes. */
  readonly isReachable: () => Promise<boolean>
  /** Commits the waiting writes, then closes the database. */
  readonly close: () => Promise<void>
}
