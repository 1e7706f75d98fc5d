// `npx` ends without passing a signal on to what it started. Contract §7, Running it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { MAIN } from '../harness/running-server.ts'

/** Starts the server as a child of a process with this name. Resolves once it listens. */
const startUnder = async (name: string) => {
  const script = `process.title = ${JSON.stringify(name)}
    require('node:child_process').spawn(process.execPath, [${JSON.stringify(MAIN)}], { stdio: 'inherit' })
      .once('spawn', function () { console.log('pid ' + this.pid) })`
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const parent = spawn(process.execPath, ['-e', script], {
    env: {
      PATH,
      NODE_COMPILE_CACHE,
      PORT: '0',
      DATABASE_URL: 'sqlite::memory:',
      npm_execpath: 'npm',
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  await new Promise<void>((resolve) =>
    parent.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (printed.includes('"event":"started"')) resolve()
    }),
  )
  return { parent, output: () => printed, pid: Number(/^pid (\d+)$/m.exec(printed)?.[1]) }
}

it('a server that npx started stops once npx has ended', async () => {
  // Only Linux tells which process started another.
  if (process.platform !== 'linux') return
  const { parent, output } = await startUnder('npm exec pnpm start')
  parent.kill('SIGTERM')
  // The server has the same standard output, which closes when it has ended too.
  await once(parent.stdout, 'close')
  expect(output()).toContain('"event":"stopped"')
})

it('a server that anything else started goes on without its parent', async () => {
  const { parent, output, pid } = await startUnder('bash')
  parent.kill('SIGTERM')
  await once(parent, 'exit')
  const [, address = ''] = /plazo is listening on (\S+)/.exec(output()) ?? []
  expect((await fetch(`${address}/healthz`)).status).toBe(200)
  process.kill(pid, 'SIGTERM')
  await once(parent.stdout, 'close')
  expect(output()).toContain('"event":"stopped"')
})
