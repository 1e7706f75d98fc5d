// How a command speaks to whoever sits at the terminal.

/** What is wrong with what was asked for: shown as it is, without a stack. */
export class Refusal extends Error {}

export const refuse = (...lines: readonly string[]): never => {
  throw new Refusal(lines.join('\n'))
}

export const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

/** How far a long command is: one line that changes on a terminal, one line each time elsewhere. Not for a pipe. */
export const tellProgress = (text: string): void => {
  process.stderr.write(process.stderr.isTTY ? `\r${text}` : `${text}\n`)
}
