import { ConfigError } from '../../platform/config/config-error.js'
import { readCatalogue } from '../../domain/models/read-catalogue.js'
import type { Settings } from '../settings/settings.js'
import { failed, ok, type Finding } from './finding.js'

/** Reads the file of the catalogue, if there is one. */
export function checkCatalogue({ catalogue: file }: Settings): readonly Finding[] {
  if (file === undefined) return []
  try {
    readCatalogue(file)
    return [{ check: 'catalogue', ...ok(`${file} agrees with the contract`) }]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [
      {
        check: 'catalogue',
        ...failed(error.message, 'farebox-service catalogue prints one that is right.'),
      },
    ]
  }
}
