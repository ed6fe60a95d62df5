import { contractCatalogue } from '../domain/models/catalogue.js'
import { readCatalogue } from '../domain/models/read-catalogue.js'
import { print } from './print.js'
import type { Settings } from './settings/settings.js'

const schemaUrl = './node_modules/@farebox/service/catalogue.schema.json'

/** Prints the catalogue in force, as a file that makes it. */
export function printCatalogue({ catalogue: file }: Pick<Settings, 'catalogue'>): number {
  const { settings } = file === undefined ? contractCatalogue : readCatalogue(file)
  print(JSON.stringify({ $schema: schemaUrl, ...settings }, null, 2))
  return 0
}
