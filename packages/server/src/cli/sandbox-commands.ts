// The commands of a sandbox. They load nothing of its server.

import { clockCommand } from './clock.ts'
import type { PlazoCommand } from './command.ts'
import { demoCommand } from './demo.ts'

export const sandboxCommands = (): readonly PlazoCommand[] => [demoCommand(), clockCommand()]
