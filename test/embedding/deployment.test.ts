// Operators copy the image, the compose file, the unit and the commands of the page of operations as they
// are. Here they run in an empty folder instead of a container. Docker, sudo and systemd's manager are
// replaced by programs that only note their arguments.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { programsOf } from '../harness/packed-project.ts'
import { freePort, temporaryPath } from '../harness/ports-and-folders.ts'
import { emptyDatabase } from '../harness/postgres-storage.ts'
import { waitUntil } from '../harness/time.ts'

type Settings = Readonly<Record<string, string>>

const root = fileURLToPath(new URL('../..', import.meta.url))
const readDeploy = (file: string): string => readFileSync(join(root, 'deploy', file), 'utf8')

/** `ignored`: the names of folders that no build may take, such as `node_modules`. */
const ignored = [...readDeploy('Dockerfile.dockerignore').matchAll(/^\*\*\/(\w+)$/gm)].map(
  ([, name]) => name,
)

const NOTED = ['docker', 'systemctl', 'useradd']

const { path: folder, remove } = temporaryPath('host')
const PATH = `${join(folder, 'bin')}:${process.env.PATH}`
afterAll(remove)

const runShell = async (
  commands: string,
  cwd: string,
  env: Settings = {},
): Promise<readonly string[]> => {
  const words = ['-euc', commands]
  const { stdout } = await promisify(execFile)('sh', words, {
    cwd,
    env: { ...process.env, ...env, PATH },
  })
  return stdout.trim().split('\n')
}

/** The commands of the page with these words, with all absolute paths in the empty folder. */
const commandsWith = (words: string): string =>
  (programsOf('operations.md', 'sh').find((block) => block.includes(words)) ?? '').replaceAll(
    /(?<= )(?=\/(?:opt|etc)\/)/g,
    folder,
  )

/** Lines such as `NAME=value`. */
const settingsIn = (text: string): Settings =>
  Object.fromEntries(
    [...text.matchAll(/(?:^| )(\w+)=(\S+)/gm)].map(([, name, value]) => [name, value]),
  )

/** Runs what an image or a unit starts, with nothing but its settings, until the test is over. */
const startServer = async (command: readonly string[], cwd: string, settings: Settings) => {
  const port = await freePort()
  const own = { HOST: '127.0.0.1', PORT: `${port}`, LOG_LEVEL: 'error' }
  const [program = '', ...words] = command
  const child = spawn(program, words, { cwd, env: { ...settings, ...own, PATH }, stdio: 'pipe' })
  const ended = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text))
  const get = async (path: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}${path}`)).status
  await waitUntil(async () => {
    if (child.exitCode !== null) throw new Error(printed)
    return (await get('/readyz').catch(() => 0)) === 200
  })
  return {
    port,
    get,
    /** Resolves to the exit code. Ctrl-C ends at once, without the seconds for a load balancer. */
    stop: async (): Promise<unknown> => {
      child.kill('SIGINT')
      return (await ended)[0]
    },
  }
}

/** Runs the instructions of the Dockerfile. Each stage is a folder that stands for `/`. */
const buildImage = async () => {
  // The store of this repository has each package, so that no registry is asked.
  const modules = JSON.parse(readFileSync(join(root, 'node_modules/.modules.yaml'), 'utf8'))
  const store = { pnpm_config_store_dir: dirname(modules.storeDir) }
  let stage = ''
  let cwd = ''
  let settings: Settings = {}
  let health: readonly string[] = []
  let command: readonly string[] = []
  const instructions: Readonly<Record<string, (words: string) => unknown>> = {
    FROM: (words) => {
      const [, name = 'image'] = / AS (\w+)$/.exec(words) ?? []
      stage = join(folder, name)
    },
    WORKDIR: (path) => {
      cwd = join(stage, path)
      mkdirSync(cwd, { recursive: true })
    },
    COPY: (words) => {
      const [, from] = /--from=(\w+)/.exec(words) ?? []
      const paths = words.split(' ').filter((word) => !word.startsWith('--'))
      const target = paths.pop() ?? ''
      const to = target.startsWith('/') ? join(stage, target) : join(cwd, target)
      for (const path of paths) {
        const source = join(from === undefined ? root : join(folder, from), path)
        cpSync(source, statSync(source).isDirectory() ? to : join(to, basename(path)), {
          recursive: true,
          verbatimSymlinks: true,
          filter: (each) => from !== undefined || !ignored.includes(basename(each)),
        })
      }
    },
    RUN: (words) => runShell(words, cwd, store),
    ENV: (words) => {
      settings = settingsIn(words.replaceAll(':/', `:${stage}/`))
    },
    HEALTHCHECK: (words) => {
      health = JSON.parse(words.slice(words.indexOf('[')))
    },
    CMD: (words) => {
      command = JSON.parse(words)
    },
    USER: () => {},
    VOLUME: (path) => expect(readdirSync(join(stage, path))).toEqual([]),
    EXPOSE: (port) => expect(settings).toMatchObject({ PORT: port }),
  }
  const lines = readDeploy('Dockerfile')
    .replaceAll(/^#.*\n|\\\n/gm, '')
    .matchAll(/^(\w+) (.*)$/gm)
  for (const [, name = '', words = ''] of lines)
    await (instructions[name] ?? expect.fail(`unknown: ${name}`))(words)
  rmSync(join(folder, 'install'), { recursive: true })
  return { cwd, settings, health, command }
}

let image: Awaited<ReturnType<typeof buildImage>>

beforeAll(async () => {
  const programs = join(folder, 'bin')
  mkdirSync(programs, { recursive: true })
  for (const name of NOTED)
    writeFileSync(join(programs, name), `#!/bin/sh\necho ${name} "$@"\n`, { mode: 0o755 })
  writeFileSync(join(programs, 'sudo'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 })
  image = await buildImage()
})

it('the image starts a server on a file in its volume, and its health check passes while it runs', async () => {
  const server = await startServer(image.command, image.cwd, image.settings)
  expect(existsSync(join(folder, 'image/data/plazo.db'))).toBe(true)
  const [program = '', ...words] = image.health
  const check = () => promisify(execFile)(program, words, { env: { PATH, PORT: `${server.port}` } })
  await check()
  expect(await server.stop()).toBe(0)
  await expect(check()).rejects.toThrow()
  const called = await runShell(commandsWith('docker run'), folder)
  expect(called[0]).toBe('docker build -f deploy/Dockerfile -t plazo .')
  expect(called[1]).toMatch(/ -v plazo:\/data plazo$/)
})

it('the probes for Kubernetes are answered by a server of the compose file on PostgreSQL, whose written settings stay', async () => {
  const repository = join(folder, 'repository')
  mkdirSync(join(repository, 'deploy'), { recursive: true })
  const file = join(repository, 'deploy/.env')
  const called = await runShell(commandsWith('compose'), repository)
  const written = readFileSync(file, 'utf8')
  expect(statSync(file).mode & 0o077).toBe(0)
  expect(await runShell(commandsWith('compose'), repository)).toEqual(called)
  expect(readFileSync(file, 'utf8')).toBe(written)
  for (const call of called) expect(call).toContain('docker compose -f deploy/compose.yaml ')

  const settings = settingsIn(written)
  const compose = readDeploy('compose.yaml').replaceAll(
    /\$\{(\w+):\?[^}]+\}/g,
    (_, name: string) => settings[name] ?? expect.fail(`${name} is not written.`),
  )
  const [, url = ''] = /DATABASE_URL: (\S+)/.exec(compose) ?? []
  const { host, username, password, pathname } = new URL(url)
  expect(compose).toContain(`  ${host.split(':')[0]}:\n    image: postgres:`)
  expect(compose).toContain(`POSTGRES_USER: ${username}\n`)
  expect(compose).toContain(`POSTGRES_PASSWORD: ${password}\n`)
  // The image of PostgreSQL creates a database with the name of the user.
  expect(pathname).toBe(`/${username}`)

  const { url: databaseUrl, drop } = await emptyDatabase()
  onTestFinished(drop)
  const server = await startServer(image.command, image.cwd, {
    ...image.settings,
    ...settings,
    DATABASE_URL: databaseUrl,
  })
  const [pod = ''] = programsOf('operations.md', 'yaml')
  const probes = [...pod.matchAll(/(\w+)Probe: .*path: (\S+), port: (\d+)/g)]
  expect(probes.map(([, probe]) => probe)).toEqual(['startup', 'liveness', 'readiness'])
  for (const [, probe, path = '', port] of probes) {
    expect(await server.get(path), probe).toBe(200)
    expect(image.settings.PORT).toBe(port)
  }
  expect(await server.stop()).toBe(0)
})

it('the unit is one that systemd accepts, and starts a server after the commands of the page', async () => {
  const workingFolder = join(folder, 'opt/plazo')
  mkdirSync(dirname(workingFolder))
  symlinkSync(image.cwd, workingFolder)
  cpSync(join(root, 'deploy'), join(workingFolder, 'deploy'), { recursive: true })
  const units = join(folder, 'etc/systemd/system')
  mkdirSync(units, { recursive: true })
  const called = await runShell(commandsWith('systemctl'), folder)
  expect(called.slice(-2)).toEqual(['systemctl daemon-reload', 'systemctl enable --now plazo'])
  const environmentFile = join(folder, 'etc/plazo.env')
  expect(statSync(environmentFile).mode & 0o777).toBe(0o600)

  const unit = readFileSync(join(units, 'plazo.service'), 'utf8')
  const directive = (name: string): string =>
    new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? expect.fail(`no ${name}`)
  const verify = `systemd-analyze verify ${join(units, 'plazo.service')} 2>&1`
  // Systems without systemd cannot judge a unit. There, the checks below are all.
  expect(await runShell(`! command -v systemd-analyze >/dev/null || ${verify}`, folder)).toEqual([
    '',
  ])
  expect(called.join('\n')).toContain(
    `useradd --system --shell /usr/sbin/nologin ${directive('User')}`,
  )
  expect(join(folder, directive('WorkingDirectory'))).toBe(workingFolder)
  expect(join(folder, directive('EnvironmentFile'))).toBe(environmentFile)
  const command = `--uid=${directive('User')} --property=EnvironmentFile=${directive('EnvironmentFile')}`
  expect(commandsWith('systemd-run')).toContain(command)
  const { DATABASE_URL = '', ...settings } = settingsIn(readFileSync(environmentFile, 'utf8'))
  expect(DATABASE_URL).toContain(`:/var/lib/${directive('StateDirectory')}/`)
  const server = await startServer(directive('ExecStart').split(' '), workingFolder, {
    ...settings,
    DATABASE_URL: DATABASE_URL.replace(':/', `:${folder}/`),
  })
  expect(await server.stop()).toBe(0)
})
