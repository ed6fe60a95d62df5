// redocly-diffs CLI BASE HEAD...: `redocly diff BASE HEAD` of each HEAD into HEAD.diff, in this one
// process. Loading the command takes ten times as long as a diff. Each import of another address
// runs it anew, and all end before this process does.
import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'

const [node = '', , cli = '', base = '', ...heads] = argv
for (const head of heads) {
  process.argv = [
    node,
    cli,
    'diff',
    base,
    head,
    '--format=json',
    '--fail-on=none',
    `--output=${head}.diff`,
  ]
  await import(`${pathToFileURL(cli).href}?${head}`)
}
