// A headless Chromium that comes from npm packages, so that a bare Linux machine needs no
// installation. It does not run on macOS or Windows: set PLAYWRIGHT_CHROMIUM to another browser
// there, otherwise the launch fails with an error.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import bundled, { inflate } from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

type OwnBrowser = { readonly browser: Browser; readonly close: () => Promise<void> }

const packed = join(
  dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')),
  '..',
  'bin',
)

// Unpacking takes longer than most tests, so it is done once for each version of the package, whose
// path names the version.
const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))
const unpacked = join(
  cache,
  `chromium-${/@sparticuz\+chromium@([\w.-]+)/.exec(packed)?.[1] ?? 'bundled'}`,
)

/**
 * Unpacks into a folder of its own and then renames it, so that no other process sees half-unpacked
 * files.
 */
const unpack = async (): Promise<void> => {
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(`${unpacked}-`)
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  try {
    await Promise.all([bundled.executablePath(), inflate(join(packed, 'al2023.tar.br'))])
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
  // The package's own font configuration names paths of the machine that built it. Without this
  // file, no text is rendered.
  await writeFile(
    join(folder, 'fonts', 'fonts.conf'),
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${join(unpacked, 'fonts')}</dir><cachedir>${join(unpacked, 'fonts-cache')}</cachedir></fontconfig>`,
  )
  // Another process may have been faster.
  await rename(folder, unpacked).catch(() => rm(folder, { recursive: true }))
}

const bundledBrowser = async () => {
  if (!existsSync(unpacked)) await unpack()
  return {
    path: join(unpacked, 'chromium'),
    env: {
      LD_LIBRARY_PATH: join(unpacked, 'al2023', 'lib'),
      FONTCONFIG_PATH: join(unpacked, 'fonts'),
    },
  }
}

export const launchBrowser = async (): Promise<OwnBrowser> => {
  const home = await mkdtemp(join(tmpdir(), 'plazo-browser-'))
  const overrides = process.env.PLAYWRIGHT_CHROMIUM
  const { path, env } =
    overrides === undefined ? await bundledBrowser() : { path: overrides, env: {} }
  const browser = await chromium.launch({
    executablePath: path,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
  })
  return {
    browser,
    close: async () => {
      await browser.close()
      await rm(home, { recursive: true, maxRetries: 5 })
    },
  }
}
