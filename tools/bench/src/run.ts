// `pnpm bench NAME [options]`. Benchmarks print ratios within one run. None of them is a test of
// time.
import { benchmarks } from './benchmarks.js'

const lines = Object.entries(benchmarks).map(([name, { about }]) => `  ${name.padEnd(12)}${about}`)
const usage = `Usage: pnpm bench NAME [options]\n\n${lines.join('\n')}`
const [name, ...args] = process.argv.slice(2)
const chosen = name !== undefined && Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined

if (chosen?.args !== undefined && args.some((arg) => arg === '--help' || arg === '-h')) {
  console.log(`Usage: pnpm bench ${name} ${chosen.args}\n\n${chosen.about}`)
} else if (chosen !== undefined) {
  await chosen.run(args)
} else if (name === undefined || name === '--help' || name === '-h') {
  console.log(usage)
} else {
  console.error(`There is no benchmark ${JSON.stringify(name)}.\n\n${usage}`)
  process.exitCode = 2
}
