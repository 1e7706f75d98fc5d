// Restate's server from npm on the loopback interface: one node, or several that replicate their
// logs. The package's own command starts the server as its child, which a SIGKILL would leave
// behind, so nodes are started from the server's file.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { freePort } from './ports-and-folders.ts'
import { waitUntil } from './time.ts'

type RestateNode = {
  /** The address at which handlers are called. */
  readonly url: string
  readonly adminUrl: string
  /** Starts it, at first or after a kill. Resolves once it is ready. */
  readonly start: () => Promise<void>
  readonly kill: () => Promise<void>
}

type RestateCluster = {
  readonly nodes: readonly [RestateNode, ...RestateNode[]]
  /** Resolves once all nodes know the handlers at the address. */
  readonly register: (url: string) => Promise<void>
  readonly stop: () => Promise<void>
}

const PARTITIONS = '4'

const fileOfServer = (): string => {
  const ofPackage = createRequire(
    createRequire(import.meta.url).resolve('@restatedev/restate-server/package.json'),
  )
  const { platform, arch } = process
  return ofPackage.resolve(`@restatedev/restate-server-${platform}-${arch}/bin/restate-server`)
}

const isHealthy = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

/** Starts `count` nodes that keep their data in `folder`. Of several, each record is on two. */
export const startRestateServers = async (folder: string, count = 1): Promise<RestateCluster> => {
  const ports = await Promise.all(
    Array.from({ length: count }, async () => ({
      node: await freePort(),
      ingress: await freePort(),
      admin: await freePort(),
    })),
  )
  const addresses = ports.map(({ node }) => `http://127.0.0.1:${node}`)

  const nodes = ports.map(
    ({ node, ingress, admin }, index): RestateNode & { stop: () => Promise<void> } => {
      let child: ChildProcess | undefined
      const end = async (signal: NodeJS.Signals): Promise<void> => {
        if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
        const ended = once(child, 'exit')
        child.kill(signal)
        await ended
      }
      const env = {
        ...process.env,
        DO_NOT_TRACK: '1',
        RESTATE_CLUSTER_NAME: 'tests',
        RESTATE_NODE_NAME: `node-${index + 1}`,
        RESTATE_BASE_DIR: join(folder, `node-${index + 1}`),
        RESTATE_AUTO_PROVISION: String(index === 0),
        RESTATE_METADATA_CLIENT__ADDRESSES: JSON.stringify(addresses),
        RESTATE_DEFAULT_REPLICATION: String(Math.min(2, count)),
        RESTATE_DEFAULT_NUM_PARTITIONS: PARTITIONS,
        RESTATE_LISTEN_MODE: 'tcp',
        RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
        RESTATE_ADVERTISED_ADDRESS: addresses[index],
        RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
        RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
        RESTATE_LOG_FILTER: 'error',
      }
      return {
        url: `http://127.0.0.1:${ingress}`,
        adminUrl: `http://127.0.0.1:${admin}`,
        start: async () => {
          child = spawn(fileOfServer(), ['--no-logo'], { env, stdio: 'ignore' })
          await waitUntil(() => isHealthy(`http://127.0.0.1:${admin}/health`))
          await waitUntil(() => isHealthy(`http://127.0.0.1:${ingress}/restate/health`))
        },
        kill: () => end('SIGKILL'),
        stop: () => end('SIGTERM'),
      }
    },
  )
  await Promise.all(nodes.map(({ start }) => start()))
  return {
    nodes: nodes as unknown as RestateCluster['nodes'],
    register: async (uri) => {
      await waitUntil(async () => {
        const response = await fetch(`${nodes[0]?.adminUrl}/deployments`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ uri }),
        })
        await response.text()
        return response.ok
      })
      for (const { adminUrl } of nodes)
        await waitUntil(async () => {
          const response = await fetch(`${adminUrl}/services`)
          const { services } = (await response.json()) as { readonly services: readonly unknown[] }
          return services.length > 0
        })
    },
    stop: async () => {
      await Promise.all(nodes.map(({ stop }) => stop()))
    },
  }
}
