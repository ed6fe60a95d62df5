#!/usr/bin/env node
import { resolve } from 'node:path'
import { exitCodes, type Arguments, type Program, type World } from '@farebox/command-line'
import { follow } from '../follow/follow.js'
import { runHere, readPackageVersion, warnTo } from './run-here.js'

type FlagName =
  | 'spec'
  | 'project'
  | 'generate'
  | 'compile'
  | 'branch'
  | 'renamed'
  | 'open'
  | 'allow-refs'

const program: Program<FlagName> = {
  name: 'farebox-follow',
  summary:
    'follows a changed OpenAPI document in a repository that generates code from it, on a separate branch',
  details: `Write the newer document into the working tree first. The command commits it with the code that is generated from it, edits the lines of
yours whose fix is certain (a commit for each change), and adds a changeset. It prints the text of a pull request, also when your code
no longer compiles: the lines that the changes touch, the edits, what is left to you, and the changes.`,
  version: readPackageVersion(),
  operands: [],
  flags: [
    {
      name: 'spec',
      kind: 'text',
      value: 'FILE',
      help: 'the document',
      fallback: 'spec/openapi.yaml',
      completes: 'file',
    },
    {
      name: 'project',
      kind: 'text',
      value: 'FILE',
      help: 'the tsconfig.json of the code',
      fallback: 'tsconfig.json',
      completes: 'file',
    },
    {
      name: 'generate',
      kind: 'text',
      value: 'COMMAND',
      help: 'what writes the generated code',
      fallback: 'npm run generate',
    },
    {
      name: 'compile',
      kind: 'text',
      value: 'COMMAND',
      help: 'what checks the code at the end',
      fallback: 'npx tsc --noEmit',
    },
    {
      name: 'branch',
      kind: 'text',
      value: 'NAME',
      help: 'the branch, which is replaced',
      fallback: 'follow-the-contract',
    },
    {
      name: 'renamed',
      kind: 'text',
      value: 'OLD=NEW',
      many: true,
      help: 'a possible rename to confirm, as the pull request names it; once for each',
    },
    {
      name: 'open',
      kind: 'switch',
      help: 'push the branch to origin, and open the pull request with gh, or bring it up to date',
    },
    { name: 'allow-refs', kind: 'switch', help: 'follow references to other folders and to URLs' },
  ],
  notes: [
    {
      title: 'Exit codes:',
      text: '0 done, also when code breaks, 1 a document or the project cannot be read, the tree has other changes or a command failed, 2 wrong usage, 70 internal error.',
    },
  ],
  examples: [
    'farebox-follow --spec vendor/openapi.json',
    'farebox-follow --spec vendor/openapi.json --open',
  ],
}

await runHere(program, run)

async function run(args: Arguments<FlagName>, world: World): Promise<number> {
  const text = (name: FlagName) => args.text(name) ?? ''
  const body = await follow({
    cwd: process.cwd(),
    spec: text('spec'),
    project: resolve(text('project')),
    generate: text('generate'),
    compile: text('compile'),
    branch: text('branch'),
    renamed: args.all('renamed'),
    isOpened: args.has('open'),
    allowRefs: args.has('allow-refs'),
    warn: warnTo(world),
  })
  world.out.write(body ?? 'The contract has not changed.\n')
  return exitCodes.ok
}
