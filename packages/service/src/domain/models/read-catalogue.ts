import { readFileSync } from 'node:fs'
import { codeOf } from '../../platform/code-of.js'
import { ConfigError } from '../../platform/config/config-error.js'
import { readConfig } from '../../platform/config/read-config.js'
import { sentenceOf } from '../../platform/config/sentence-of.js'
import { catalogueOf, type Catalogue } from './catalogue.js'
import { catalogueSchema } from './catalogue-schema.js'
import { completeCatalogue, type CatalogueOverrides } from './catalogue-settings.js'

/**
 * The catalogue of the contract with these changes, which are checked against the contract. Throws
 * a RangeError that has each fault with its place, what was found and what was expected.
 */
export function createCatalogue(overrides: CatalogueOverrides): Catalogue {
  const checked = catalogueSchema.safeParse(overrides)
  if (checked.success) return catalogueOf(completeCatalogue(overrides))
  const faults = checked.error.issues.map((issue) => {
    const { path, message } = sentenceOf(issue, overrides)
    return `catalogue: ${path.map(String).join('.')}: ${message}`
  })
  throw new RangeError(faults.join('\n'))
}

/** The catalogue in a file of JSON or YAML. Throws a ConfigError with the line of each fault. */
export function readCatalogue(file: string): Catalogue {
  return catalogueOf(completeCatalogue(readConfig(file, textOf(file), catalogueSchema).value))
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = codeOf(error) ?? 'unknown error'
    throw new ConfigError(file, [{ pointer: '', message: `found no file that can be read (${code}), expected a catalogue.` }])
  }
}
