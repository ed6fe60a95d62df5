import { readFileSync } from 'node:fs'
import { readErrorCode } from '../../platform/error-code.js'
import { ConfigError } from '../../platform/config/config-error.js'
import { readConfig } from '../../platform/config/read-config.js'
import { describeIssue } from '../../platform/config/describe-issue.js'
import { buildCatalogue, type Catalogue } from './catalogue.js'
import { catalogueSchema } from './catalogue-schema.js'
import { completeCatalogue, type CatalogueOverrides } from './catalogue-settings.js'

/**
 * The catalogue of the contract with these changes, which are checked against the contract. Throws
 * a RangeError that has each fault with its place, what was found and what was expected.
 */
export function createCatalogue(overrides: CatalogueOverrides): Catalogue {
  const checked = catalogueSchema.safeParse(overrides)
  if (checked.success) return buildCatalogue(completeCatalogue(overrides))
  const faults = checked.error.issues.map((issue) => {
    const { path, message } = describeIssue(issue, overrides)
    return `catalogue: ${path.map(String).join('.')}: ${message}`
  })
  throw new RangeError(faults.join('\n'))
}

/** The catalogue in a file of JSON or YAML. Throws a ConfigError with the line of each fault. */
export function readCatalogue(file: string): Catalogue {
  return buildCatalogue(completeCatalogue(readConfig(file, readText(file), catalogueSchema).value))
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = readErrorCode(error) ?? 'unknown error'
    throw new ConfigError(file, [
      { pointer: '', message: `found no file that can be read (${code}), expected a catalogue.` },
    ])
  }
}
