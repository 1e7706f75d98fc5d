// Runs `plazo` commands one after another in one process, because starting a process costs more
// than most commands. A command has ended when nothing keeps the process alive any more, so a
// command that would not exit by itself never ends here either.
const CLI = new URL('../../packages/server/src/cli.ts', import.meta.url)

/** Where Node keeps compiled code, and where programs are. */
const { PATH, NODE_COMPILE_CACHE } = process.env

let count = 0
let stdout = ''
let stderr = ''
let exitCode: number | undefined

process.stdout.write = (chunk) => {
  if (exitCode === undefined) stdout += chunk
  return true
}
process.stderr.write = (chunk) => {
  if (exitCode === undefined) stderr += chunk
  return true
}
process.exit = (code) => {
  exitCode ??= Number(code ?? process.exitCode ?? 0)
  throw new Error('The command has exited. Nothing that it prints from now on counts.')
}

process.on(
  'message',
  ({ env, words }: { readonly env: NodeJS.ProcessEnv; readonly words: readonly string[] }) => {
    process.env = { PATH, NODE_COMPILE_CACHE, ...env }
    process.argv = [process.execPath, CLI.pathname, ...words]
    process.exitCode = undefined
    process.stdout.removeAllListeners('error')
    stdout = stderr = ''
    exitCode = undefined
    count += 1
    process.channel?.unref()
    void import(`${CLI.href}?${count}`)
  },
)

process.on('beforeExit', () => {
  if (!process.connected) return
  process.channel?.ref()
  process.send?.({ code: exitCode ?? Number(process.exitCode ?? 0), stdout, stderr })
})

process.channel?.ref()
