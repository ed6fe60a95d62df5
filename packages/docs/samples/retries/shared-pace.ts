import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filePaceStore } from '@farebox/retry/node'
import { createFarebox } from 'farebox'

// in each of the processes
const farebox = createFarebox({ paceStore: filePaceStore(join(tmpdir(), 'farebox-pace')) })
console.log((await farebox.listModels()).length)
