import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fetchCommand, findCommand } from './find-command.js'

// The command is in the package @farebox/cli, so that the SDK installs without its dependencies.
// It runs in this process: its streams, its signals and its exit code are those of `npx farebox`.
const command =
  findCommand([import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href]) ??
  fetchCommand()
if (command !== undefined) {
  process.argv = [process.execPath, command, ...process.argv.slice(2)]
  await import(pathToFileURL(command).href)
}
