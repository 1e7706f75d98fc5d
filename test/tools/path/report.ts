// Writes a measured path as a page shows it: the files in the order in which they are entered, by
// package, and then which file calls back which one.
import type { Call } from './record-path.ts'

const WIDTH = 124
const INDENT = 10

const packageOf = (file: string): string => file.split('/', 1).join()

/** One package's part of the way, in lines that fit on a page. */
const linesOf = (name: string, paths: readonly string[]): readonly string[] => {
  const lines = [name.padEnd(INDENT)]
  for (const path of paths) {
    const line = lines.at(-1) ?? ''
    const longer = `${line}${line.length > INDENT ? ' → ' : ''}${path}`
    if (longer.length <= WIDTH) lines[lines.length - 1] = longer
    else lines.push(`${' '.repeat(INDENT - 2)}→ ${path}`)
  }
  return lines
}

const wayOf = (files: readonly string[]): readonly string[] => {
  const starts = files.flatMap((file, n) =>
    packageOf(file) === packageOf(files[n - 1] ?? '') ? [] : [n],
  )
  return starts.flatMap((start, n) => {
    const part = files.slice(start, starts[n + 1])
    const name = packageOf(part[0] ?? '')
    const paths = part.map((file) => file.slice(name.length + 1))
    return linesOf(name, paths)
  })
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)

/** One line for each file that is entered again: who calls it back, and how often it goes on. */
const reentriesOf = (reentries: readonly Call[]): readonly string[] =>
  [...Map.groupBy(reentries, ({ file }) => file)]
    .map(([file, calls]) => {
      const returns = calls.filter(({ entry }) => entry === 'return')
      const callers = [...new Set(returns.map(({ caller }) => caller))].sort()
      const resumes = calls.length - returns.length
      return [
        file,
        ...(callers.length > 0 ? [`← ${callers.join(', ')}`] : []),
        ...(resumes > 0 ? [`goes on ${times(resumes)}`] : []),
      ].join('  ')
    })
    .sort()

/** The files in the order in which they are first entered, and the re-entries. */
export const reportPath = (calls: readonly Call[]): string => {
  const files = [...new Set(calls.map(({ file }) => file))]
  const reentries = calls.filter(({ entry }) => entry !== 'call')
  const enteredAgain = new Set(reentries.map(({ file }) => file))
  const sizes = ['server', 'core', 'adapters'].map(
    (name) => `${name} ${files.filter((file) => packageOf(file) === name).length}`,
  )
  return [
    ...wayOf(files),
    '',
    'Entered again: this file ← is called back by that one',
    ...reentriesOf(reentries),
    '',
    `${files.length} files (${sizes.join(', ')}), ${reentries.length} re-entries into ${enteredAgain.size} files`,
  ].join('\n')
}
