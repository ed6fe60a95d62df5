import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

// The program of the process that `waitForFolder` starts: it reads what `takeFolder` reads first.
// Errors are ignored here: `takeFolder` gets and reports them again.
const folder = process.argv[2] ?? '.'
try {
  statSync(folder)
  for (const name of readdirSync(folder))
    if (name.startsWith('lock.')) readFileSync(join(folder, name))
} catch {}
