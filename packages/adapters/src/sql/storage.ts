// An opened database. Callers use this type whether it is one file or a database that many servers share.
import type { Clock, FullStore, Merchants, ShopperErasure } from '@plazo/core'
import type { KeyRotation } from '../encryption/key-rotation.ts'
import type { Keyring } from '../encryption/keyring.ts'
import type { SandboxStore } from '../sandbox/sandbox-store.ts'

export type Storage = {
  readonly store: FullStore
  readonly merchants: Merchants
  readonly sandboxStore: SandboxStore
  /** The master keys that it is encrypted under: the keys given, or its own. */
  readonly keyring: Keyring
  readonly keyRotation: KeyRotation
  readonly erasure: ShopperErasure
  /** Real time: this computer's clock or, if many servers share the database, the database's clock. */
  readonly clock: Clock
  /** Commits the waiting writes, then closes the database. */
  readonly close: () => Promise<void>
}
