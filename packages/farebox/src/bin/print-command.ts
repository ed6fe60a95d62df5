import { basename, delimiter, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findCommand } from './run-command.js'

// Started by npx, which puts the folder `node_modules/.bin` of the installed package at the front
// of PATH.
const folders = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => basename(folder) === '.bin')
const command = findCommand(
  folders.map((folder) => pathToFileURL(join(dirname(dirname(folder)), 'package.json')).href),
)
process.stdout.write(command ?? '')
