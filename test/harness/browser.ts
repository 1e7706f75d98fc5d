// A headless Chromium that comes from npm packages, so that a bare Linux machine needs no installation. It does not run on
// macOS or Windows: set PLAYWRIGHT_CHROMIUM to another browser there, otherwise the launch fails with an error.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import bundled, { inflate } from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

export type OwnBrowser = { readonly browser: Browser; readonly close: () => Promise<void> }

// Chromium unpacks into the temporary folder of this process. Each run uses its own folder, so that no run sees half-unpacked
// files.
const unpackedIn = async (folder: string): Promise<{ readonly path: string; readonly env: Record<string, string> }> => {
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  try {
    const packed = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..', 'bin')
    const [path] = await Promise.all([bundled.executablePath(), inflate(join(packed, 'al2023.tar.br'))])
    // The package's own font configuration names paths of the machine that built it. Without this file, no text is rendered.
    await writeFile(
      join(folder, 'fonts', 'fonts.conf'),
      `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>`,
    )
    return { path, env: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_PATH: join(folder, 'fonts') } }
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}

export const launchBrowser = async (): Promise<OwnBrowser> => {
  const folder = await mkdtemp(join(tmpdir(), 'plazo-browser-'))
  const own = process.env.PLAYWRIGHT_CHROMIUM
  const { path, env } = own === undefined ? await unpackedIn(folder) : { path: own, env: {} }
  const browser = await chromium.launch({
    executablePath: path,
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-quic'],
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
  })
  return {
    browser,
    close: async () => {
      await browser.close()
      await rm(folder, { recursive: true, maxRetries: 5 })
    },
  }
}
