// The commands of a sandbox. They load nothing of its server.
import type { PlazoCommand } from '../command-line/command.ts'
import { clockCommand } from './clock/command.ts'
import { demoCommand } from './demo-command.ts'

export { openBase } from './open-base.ts'

export const sandboxCommands = (): readonly PlazoCommand[] => [demoCommand(), clockCommand()]
