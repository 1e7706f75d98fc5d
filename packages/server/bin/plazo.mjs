#!/usr/bin/env node
// Entry point of `plazo`, in the repository and in the package.
import './check-node.mjs'
import { existsSync } from 'node:fs'

const source = new URL('../src/cli.ts', import.meta.url)
await import(existsSync(source) ? source.href : '../dist/cli.js')
