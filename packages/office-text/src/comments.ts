import type { OfficeFile } from './office-file.js'
import { readXml } from './xml.js'

/** Counts the comments of a slide or sheet, which are not part of its text. */
export function countComments(file: OfficeFile, path: string): void {
  readXml(file.archive, path, 'list of comments', file.limits, {
    open(name) {
      if (name === 'cm' || name === 'comment') file.warnings.add('comments')
    },
  })
}
