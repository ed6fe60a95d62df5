import { join } from 'node:path'
import { installed } from '@farebox/testing/installed'

const version = '22.23.3'

/** Newer peers need a newer Node than we do. npm has it as a package. */
export function newerNode(): string {
  return join(installed(`node-${process.platform}-${process.arch}`, version), 'bin/node')
}
