#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findCommand } from './find-command.js'
import { runByNpx } from './run-by-npx.js'

// `npx farebox`: the command itself is the package @farebox/cli, so that the SDK installs without what the command needs
const args = process.argv.slice(2)
const command = findCommand([import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href])
if (command === undefined) {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }
  await runByNpx(version, args)
} else {
  process.argv = [process.execPath, command, ...args]
  await import(pathToFileURL(command).href)
}
