// Runs the writer's commands, inside its transaction: a wave of commands about different orders together, and any other command
// alone. The commands are plain data and the handlers contain no rules, so they can run in another thread than the decisions.
import { UnavailableError } from '@plazo/core'
import { createCheckValue } from '../../encryption/key-check-values.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import type { Database } from '../schema/database.ts'
import { type FreeBytes, isFull } from '../wal/log-space.ts'
import type { Command, CommandInput, CommandName, CommandOf, Commands } from './commands.ts'
import { createOrderWriter, type OrderCommand } from './orders.ts'
import { createOutbox } from './outbox.ts'
import { createResend } from './resend.ts'
import { createRetention } from './retention.ts'
import { createSandboxWriter } from './sandbox-store.ts'

export type CommandHandlers = {
  /** Call it first in each transaction. */
  readonly begin: () => void
  /** Runs commands about different orders, or a single one. Returns their results in the same order. `now`: for leases. */
  readonly runWave: (wave: readonly Command[], now: number) => readonly unknown[]
  /** Call it last. Returns when a claim may find more because of the transaction. Infinite: it finds no more. */
  readonly finish: () => number
}

type MessageCommand = CommandOf<'addMessage'>

/** The commands that may read or write anything. */
type LoneName = Exclude<CommandName, (OrderCommand | MessageCommand)['name']>

type LoneHandlers = {
  readonly [Name in LoneName]: (input: CommandInput<Name>, now: number) => ReturnType<Commands[Name]>
}

const isOrderCommand = (command: Command): command is OrderCommand =>
  command.name === 'place' || command.name === 'step' || command.name === 'complete'

const isMessageCommand = (command: Command): command is MessageCommand => command.name === 'addMessage'

/** The order that the command reads and writes, and no other. Null: it may read or write anything, so it runs alone. */
export const orderOf = (command: Command): string | null =>
  isOrderCommand(command) || isMessageCommand(command) ? command.input.orderRef : null

export const createCommandHandlers = (
  db: Database,
  dataKeys: DataKeys,
  boot: string,
  freeBytes: FreeBytes,
): CommandHandlers => {
  const outbox = createOutbox(db, dataKeys, boot)
  const writeOrders = createOrderWriter(db, dataKeys, outbox)
  const { addMessages, ...sandbox } = createSandboxWriter(db, dataKeys)
  // Key rotation deletes the record of a key that encrypts nothing any more. A server that still uses the key adds it again.
  const [first] = dataKeys.cipher.keyIds
  const registerKey = db.prepare('insert or ignore into master_keys (id, proof) values (?, ?)')
  const checkValue = createCheckValue(dataKeys.cipher)
  // The probe increments a change counter. Its only effect is that the merchants' caches are read again.
  const probe = db.prepare('update merchant_changes set count = count + 1')

  const lone: LoneHandlers = {
    claim: outbox.claim,
    release: outbox.release,
    retryStuckJob: outbox.retryStuckJob,
    ...createResend(db, outbox),
    ...createRetention(db),
    ...sandbox,
    probe: () => {
      // A probe is smaller than the writes of orders, so it might fit where they do not.
      if (isFull(db, freeBytes))
        throw new UnavailableError({ code: 'file_disk_full', message: 'database or disk is full' })
      probe.run()
    },
  }

  const runAlone = <Name extends LoneName>(
    { name, input }: { readonly name: Name; readonly input: CommandInput<Name> },
    now: number,
  ): unknown => lone[name](input, now)

  return {
    begin: () => {
      outbox.begin()
      dataKeys.refreshIfChanged()
      registerKey.run(first, checkValue)
    },
    runWave: (wave, now) => {
      const results = writeOrders(wave.filter(isOrderCommand))
      const messages = wave.filter(isMessageCommand)
      if (messages.length > 0) addMessages(messages.map(({ input }) => input))
      return wave.map((command) => {
        if (isOrderCommand(command)) return results.get(command.input)
        return isMessageCommand(command) ? undefined : runAlone(command, now)
      })
    },
    finish: outbox.finish,
  }
}
