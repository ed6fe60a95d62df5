import { readFileSync } from 'node:fs'
import type { Program } from '@farebox/command-line'
import { lifecycleRules } from '../lifecycle/lifecycle.js'
import { formats } from '../report/report.js'

const manifest = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as {
  readonly version: string
}

/** The version of this tool. */
export const { version } = manifest

export const defaultSpec = 'spec/openapi.yaml'

/** The values of `--fail-on`. */
export const limits = ['none', 'patch', 'minor', 'major'] as const

export type FlagName =
  | 'spec'
  | 'package'
  | 'changeset'
  | 'check'
  | 'format'
  | 'all'
  | 'fail-on'
  | 'approve'
  | 'approvals'
  | 'rule'
  | 'sunset-days'
  | 'allow-refs'

export const program: Program<FlagName> = {
  name: 'farebox-spec-diff',
  summary: 'lists what changed in an OpenAPI document, operation by operation',
  details: `Each change states the version bump that it requires of the packages that carry the document's types, zod, client and SDK. BASE and HEAD are git
revisions, REVISION:PATH, files or URLs. Without HEAD, the files as they are now are compared; --check without BASE compares with the commit that last set a version.`,
  version,
  operands: [
    { name: 'BASE', required: false, completes: 'file' },
    { name: 'HEAD', required: false },
  ],
  flags: [
    {
      name: 'spec',
      kind: 'text',
      value: 'FILE',
      help: 'the document within a revision',
      fallback: defaultSpec,
      completes: 'file',
    },
    {
      name: 'package',
      kind: 'text',
      value: 'FOLDER[=OUTPUTS]',
      many: true,
      help: 'a package that carries outputs, such as packages/api or packages/types=types,zod; once for each. Packages that hold files of farebox-codegen need not be named (default, where none does: all of types, zod, client and sdk in the package of this folder; a mere list names the outputs instead)',
    },
    {
      name: 'changeset',
      kind: 'switch',
      help: 'write .changeset/contract-….md with the bumps and the changes',
    },
    { name: 'check', kind: 'switch', help: 'fail when no changeset covers the changes since BASE' },
    {
      name: 'format',
      kind: 'text',
      value: 'FORMAT',
      choices: formats,
      fallback: 'text',
      help: `how to print the changes: ${formats.join(', ')}. markdown is for a pull request, sarif for code scanning, github for annotations`,
    },
    { name: 'all', kind: 'switch', help: 'list every change, however many there are' },
    {
      name: 'fail-on',
      kind: 'text',
      value: 'LEVEL',
      choices: limits,
      fallback: 'none',
      help: 'fail on changes of this level or a graver one: patch, minor, major',
    },
    {
      name: 'approve',
      kind: 'text',
      value: 'ID',
      many: true,
      help: 'a change that does not fail, by its id; once for each',
    },
    {
      name: 'approvals',
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      help: 'a file with such ids, one in a line; # begins a comment',
    },
    {
      name: 'rule',
      kind: 'text',
      value: 'NAME=SEVERITY',
      many: true,
      help: 'check a rule for the life of operations: error, warning or off; NAME may be all',
    },
    {
      name: 'sunset-days',
      kind: 'text',
      value: 'DAYS',
      many: true,
      help: 'how many days a deprecated operation works at least, for the rule sunset-too-early; beta=31 for one stability',
    },
    { name: 'allow-refs', kind: 'switch', help: 'follow references to other folders and to URLs' },
  ],
  notes: [
    { title: 'Rules (off by default):', rows: Object.entries(lifecycleRules) },
    {
      title: 'Exit codes:',
      text: '0 done, 1 a document has faults, --check or --fail-on failed or the history does not reach the last release, 2 wrong usage, 70 internal error.',
    },
  ],
  examples: [
    'farebox-spec-diff main',
    'farebox-spec-diff old.yaml new.yaml',
    'farebox-spec-diff v1:api.yaml main:spec/openapi.yaml',
    'farebox-spec-diff main --fail-on major',
    'farebox-spec-diff --check',
  ],
}
