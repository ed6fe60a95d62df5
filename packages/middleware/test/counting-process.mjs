// Counts in a folder: `node counting-process.mjs FOLDER TIMES STEP DURABLE`. It kills itself before
// its operation number STEP on files.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { updateVersions } from '../dist/node/index.js'

const [folder = '', times, last, durable] = process.argv.slice(2)
let left = Number(last)

/**
 * @param {Record<string, (...values: never[]) => Promise<unknown>>} object
 * @param {readonly string[]} names
 */
function count(object, names) {
  for (const name of names) {
    const own = object[name]?.bind(object)
    object[name] = async (...values) => {
      if (left-- === 0) process.kill(process.pid, 'SIGKILL')
      return own?.(...values)
    }
  }
}

const { open } = fs.promises
fs.promises.open = async (...values) => {
  const file = await open(...values)
  count(/** @type {never} */ (file), ['writeFile', 'sync', 'close'])
  return file
}
count(/** @type {never} */ (fs.promises), ['open', 'mkdir', 'readdir', 'readFile', 'link', 'rm'])
syncBuiltinESMExports()

for (let time = 0; time < Number(times); time++) {
  await updateVersions(folder, (text = '0') => String(Number(text) + 1), {
    // more than a test counts: on a busy machine, a process may sleep while the others go on
    kept: 200,
    durable: durable === 'true',
  })
}
