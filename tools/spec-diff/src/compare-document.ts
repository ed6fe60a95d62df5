import type { Api } from '@farebox/codegen'
import type { Code } from './catalogue.js'
import type { About } from './change.js'
import type { ChangeList } from './change-list.js'
import { compareSchemes } from './compare-schemes.js'
import { compareServers } from './compare-servers.js'

/** Reports what concerns no operation and no schema. */
export function compareDocument(base: Api, head: Api, changes: ChangeList): void {
  const spot = { side: 'head', origin: { file: head.source, pointer: '' } } as const
  const note: Note = (code, sentence, values) =>
    changes.note(code, sentence, spot, {
      direction: 'none',
      subject: { kind: 'document' },
      ...values,
    })
  compareInfo(base, head, note)
  compareServers(base.servers, head.servers, note)
  compareSchemes(base, head, note)
  compareTables(base, head, note)
}

type Note = (code: Code, sentence: string, values?: Pick<About, 'from' | 'to'>) => void

function compareInfo(base: Api, head: Api, note: Note): void {
  const [from, to] = [base, head]
  if (from.title !== to.title)
    note('info-title-changed', `the title was ${from.title} and is ${to.title} now`, {
      from: from.title,
      to: to.title,
    })
  if (from.version !== to.version)
    note('info-version-changed', `the version was ${from.version} and is ${to.version} now`, {
      from: from.version,
      to: to.version,
    })
  if (from.description !== to.description)
    note('info-description-changed', 'the document has another description')
}

function compareTables(base: Api, head: Api, note: Note): void {
  for (const name of new Set([...Object.keys(base.extensions), ...Object.keys(head.extensions)])) {
    const [from, to] = [base.extensions[name], head.extensions[name]]
    if (from === undefined) note('table-added', `the table ${name} is new`)
    else if (to === undefined) note('table-removed', `the table ${name} is gone`)
    else if (JSON.stringify(from) !== JSON.stringify(to))
      note('table-changed', `the table ${name} has other values now`, { from, to })
  }
}
