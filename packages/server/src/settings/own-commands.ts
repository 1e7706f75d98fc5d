// Pages and messages show commands that their reader can run. In the repository a script brings the
// right Node, and the installed package has a command.
import { existsSync } from 'node:fs'

const isRepository = existsSync(new URL('./own-commands.ts', import.meta.url))

/** In front of each command, as `clock next`. */
export const PLAZO = isRepository ? './pnpm plazo' : 'npx plazo'
export const START = isRepository ? './pnpm start' : 'npx plazo serve'
