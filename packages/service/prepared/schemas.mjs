// Writes the JSON schemas of the files that an operator writes; editors read them. `--check`
// compares instead. Build the service first.
import { readFileSync, writeFileSync } from 'node:fs'
import { catalogueJsonSchema } from '../dist/domain/models/read-catalogue.js'
import { upstreamsJsonSchema } from '../dist/command/upstream-file/upstreams-schema.js'

const schemas = {
  'catalogue.schema.json': catalogueJsonSchema(),
  'upstreams.schema.json': upstreamsJsonSchema(),
}
for (const [name, schema] of Object.entries(schemas)) {
  const file = new URL(`../${name}`, import.meta.url)
  const text = `${JSON.stringify(schema, undefined, 2)}\n`
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(
      `packages/service/${name} differs from what the service reads: run \`npx --yes pnpm@12.21.0 generate\`.\n`,
    )
    process.exitCode = 1
  }
}
