import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileLimitStore } from '@farebox/retry/node'
import { createFarebox } from 'farebox'

// in each of the processes
const farebox = createFarebox({ limitStore: fileLimitStore(join(tmpdir(), 'farebox-limits')) })
console.log((await farebox.listModels()).length)
