// What a database holds for plazo, opened: in one file, or shared by many servers.
import type { Clock, Forgetting, Merchants, Store } from '@plazo/core'
import type { SandboxShelf } from '../sandbox/shelf.ts'
import type { KeyKeeping } from '../sealing/key-keeping.ts'
import type { Keyring } from '../sealing/keyring.ts'

export type Home = {
  readonly store: Store
  readonly merchants: Merchants
  readonly shelf: SandboxShelf
  /** What it is sealed under: the keys given, or its own. */
  readonly keyring: Keyring
  readonly keys: KeyKeeping
  readonly forgetting: Forgetting
  /** Real time: of this computer or, where many servers share a database, of that. */
  readonly clock: Clock
  /** Whether the database answers, and takes writes. */
  readonly isReachable: () => Promise<boolean>
  /** Commits what waits, then closes the database. */
  readonly close: () => Promise<void>
}
