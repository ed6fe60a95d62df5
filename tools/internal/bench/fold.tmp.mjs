// node fold.mjs PACKAGE_DIR SPEC.json
import { Project, SyntaxKind, Node } from 'ts-morph'
import { readFileSync, existsSync } from 'node:fs'
import { join, resolve, dirname, relative } from 'node:path'
const [dir, specFile] = process.argv.slice(2)
const pkg = resolve(dir)
const src = join(pkg, 'src')
const spec = JSON.parse(readFileSync(specFile, 'utf8'))
const project = new Project({ compilerOptions: { module: 199, moduleResolution: 99, target: 99, allowJs: false, jsx: 4, jsxImportSource: 'preact' }, skipAddingFilesFromTsConfig: true })
project.addSourceFilesAtPaths([`${pkg}/src/**/*.ts`, `${pkg}/src/**/*.tsx`, `${pkg}/test/**/*.ts`, `!${pkg}/**/node_modules/**`])
for (const extra of spec.also ?? []) project.addSourceFilesAtPaths(extra)
const get = (p) => { const f = project.getSourceFile(join(src, p)); if (!f) throw new Error('no file ' + p); return f }
const relSpec = (from, to) => { let r = relative(dirname(from), to).replace(/\.tsx?$/, '.js'); return r.startsWith('.') ? r : './' + r }
const topNames = (f) => f.getStatements().flatMap((s) => Node.isImportDeclaration(s) || Node.isExportDeclaration(s) ? [] : Node.isVariableStatement(s) ? s.getDeclarations().flatMap((d) => d.getNameNode().getKind() === SyntaxKind.Identifier ? [d.getName()] : d.getNameNode().getDescendantsOfKind(SyntaxKind.Identifier).map((i) => i.getText())) : s.getName?.() ? [s.getName()] : [])
const moves = []
for (const { to, from, keep = [] } of spec.files) {
  const target = get(from[0])
  const merged = from.slice(1).map(get)
  const seen = new Map()
  for (const f of [target, ...merged]) for (const n of new Set(topNames(f))) { if (seen.has(n)) console.error(`COLLISION ${n}: ${seen.get(n)} and ${f.getBaseName()} -> ${to}`); seen.set(n, f.getBaseName()) }
  const group = new Set([target, ...merged])
  const exportedElsewhere = new Set()
  // rewrite importers
  for (const other of project.getSourceFiles()) {
    for (const d of [...other.getImportDeclarations(), ...other.getExportDeclarations()]) {
      const m = d.getModuleSpecifierSourceFile?.()
      if (!m || !group.has(m)) continue
      if (!group.has(other)) {
        if (Node.isImportDeclaration(d)) { for (const n of d.getNamedImports()) exportedElsewhere.add(n.getName()); if (d.getNamespaceImport()) exportedElsewhere.add('*') }
        else { if (!d.hasNamedExports()) exportedElsewhere.add('*'); for (const n of d.getNamedExports()) exportedElsewhere.add(n.getName()) }
        if (m !== target) d.setModuleSpecifier(relSpec(other.getFilePath(), target.getFilePath()))
      }
    }
    if (!group.has(other)) for (const c of other.getDescendantsOfKind(SyntaxKind.CallExpression)) {
      if (c.getExpression().getKind() !== SyntaxKind.ImportKeyword) continue
      const a = c.getArguments()[0]; if (!Node.isStringLiteral(a)) continue
      const p = resolve(dirname(other.getFilePath()), a.getLiteralValue()).replace(/\.jsx?$/, '.ts')
      for (const m of group) if (m.getFilePath() === p) { exportedElsewhere.add('*'); if (m !== target) a.setLiteralValue(relSpec(other.getFilePath(), target.getFilePath())) }
    }
    if (!group.has(other)) for (const t of other.getDescendantsOfKind(SyntaxKind.ImportType)) {
      const m = [...group].find((g) => resolve(dirname(other.getFilePath()), t.getArgument().getText().slice(1, -1)).replace(/\.jsx?$/, '.ts') === g.getFilePath())
      if (m) exportedElsewhere.add('*')
    }
  }
  // merge imports & bodies
  let body = ''
  for (const f of merged) {
    for (const d of f.getImportDeclarations()) {
      const m = d.getModuleSpecifierSourceFile()
      if (m && group.has(m)) continue
      const value = d.getModuleSpecifierValue()
      const s = d.getStructure()
      s.moduleSpecifier = value.startsWith('.') ? relSpec(target.getFilePath(), resolve(dirname(f.getFilePath()), value).replace(/\.jsx?$/, '.ts')) : value
      if (value.endsWith('.json')) s.moduleSpecifier = value
      target.addImportDeclaration(s)
    }
    let text = f.getFullText()
    const ranges = f.getImportDeclarations().map((d) => [d.getStart(), d.getEnd()]).sort((a, b) => b[0] - a[0])
    for (const [a, b] of ranges) text = text.slice(0, a) + text.slice(b)
    // relative dynamic imports
    body += '\n' + text.trim() + '\n'
  }
  for (const d of target.getImportDeclarations()) { const m = d.getModuleSpecifierSourceFile(); if (m && group.has(m)) d.remove() }
  if (merged.length) target.insertText(target.getEnd(), '\n' + body)
  // merge duplicate imports
  const by = new Map()
  for (const d of target.getImportDeclarations()) {
    if (d.getNamespaceImport() || d.getDefaultImport() || !d.getNamedImports().length) continue
    const k = d.getModuleSpecifierValue() + (d.getAttributes?.()?.getText() ?? '')
    const first = by.get(k)
    if (!first) { by.set(k, d); continue }
    const type = d.isTypeOnly(), firstType = first.isTypeOnly()
    if (type !== firstType && firstType) { for (const n of first.getNamedImports()) n.setIsTypeOnly(true); first.setIsTypeOnly(false) }
    for (const n of d.getNamedImports()) {
      const name = n.getName(), alias = n.getAliasNode()?.getText()
      const has = first.getNamedImports().find((x) => x.getName() === name && x.getAliasNode()?.getText() === alias)
      const isType = type || n.isTypeOnly()
      if (!has) first.addNamedImport({ name, alias, isTypeOnly: isType && !first.isTypeOnly() })
      else if (!isType && has.isTypeOnly()) has.setIsTypeOnly(false)
    }
    d.remove()
  }
  // other importers may now have duplicate imports of target; merge
  for (const other of project.getSourceFiles()) {
    if (other === target || group.has(other)) continue
    const ds = other.getImportDeclarations().filter((d) => d.getModuleSpecifierSourceFile() === target && !d.getNamespaceImport() && !d.getDefaultImport() && d.getNamedImports().length)
    const [first, ...rest] = ds
    for (const d of rest) {
      if (d.isTypeOnly() !== first.isTypeOnly() && first.isTypeOnly()) { for (const n of first.getNamedImports()) n.setIsTypeOnly(true); first.setIsTypeOnly(false) }
      for (const n of d.getNamedImports()) first.addNamedImport({ name: n.getName(), alias: n.getAliasNode()?.getText(), isTypeOnly: (d.isTypeOnly() || n.isTypeOnly()) && !first.isTypeOnly() })
      d.remove()
    }
  }
  // unexport what only this file uses
  if (merged.length && !exportedElsewhere.has('*')) for (const s of target.getStatements()) {
    if (!s.isExported?.() || s.getKind() === SyntaxKind.ExportDeclaration) continue
    const names = Node.isVariableStatement(s) ? s.getDeclarations().map((d) => d.getName()) : [s.getName?.()]
    if (names.some((n) => exportedElsewhere.has(n) || keep.includes(n))) continue
    s.setIsExported?.(false)
  }
  for (const f of merged) { const p = f.getFilePath(); project.removeSourceFile(f); moves.push(['delete', p]) }
  moves.push(['move', target, to])
}
const { rmSync, mkdirSync } = await import('node:fs')
for (const [kind, a, b] of moves) {
  if (kind === 'delete') { rmSync(a) }
  else if (join(src, b) !== a.getFilePath()) { a.move(join(src, b)) }
}
for (const [from, to] of Object.entries(spec.tests ?? {})) get(from).move(join(src, to))
project.saveSync()
