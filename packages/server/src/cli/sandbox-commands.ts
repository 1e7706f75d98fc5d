// The commands of a sandbox. They load nothing of its server.
import type { PlazoCommand } from '../command-line/command.ts'
import { clockCommand } from './clock.ts'
import { demoCommand } from './demo.ts'

export const sandboxCommands = (): readonly PlazoCommand[] => [demoCommand(), clockCommand()]
