import type { Project as TypeOfProject } from 'ts-morph'

/** A rendered file that is not TypeScript: a fault of an emitter, never of the document. */
export class RenderError extends Error {
  override readonly name = 'RenderError'

  constructor(path: string, line: number, message: string) {
    super(`The generator wrote ${path}, which is not valid TypeScript at line ${line}: ${message}`)
  }
}

/** Parses every file as a whole, and throws at the first syntactic fault. Nothing is type-checked: that is the build's part. */
export async function checkSyntax(files: ReadonlyMap<string, string>): Promise<void> {
  const { Project } = await import('ts-morph')
  const project: TypeOfProject = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    compilerOptions: { noLib: true, noResolve: true },
  })
  for (const [path, text] of files) {
    if (!path.endsWith('.ts')) continue
    const source = project.createSourceFile(`/${path}`, text)
    const [fault] = (source.compilerNode as unknown as { readonly parseDiagnostics: readonly ParseFault[] }).parseDiagnostics
    if (fault !== undefined) {
      const message = typeof fault.messageText === 'string' ? fault.messageText : fault.messageText.messageText
      throw new RenderError(path, source.getLineAndColumnAtPos(fault.start ?? 0).line, message)
    }
    project.removeSourceFile(source)
  }
}

/** What TypeScript's parser notes on a source file: there is no public name for it, and a program would cost a type-check. */
type ParseFault = { readonly start?: number; readonly messageText: string | { readonly messageText: string } }
