import { existsSync } from 'node:fs'
import { Project, type ts } from 'ts-morph'

/** A project that cannot be read. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError'
}

/**
 * The program of a consumer. Reads the files that its `tsconfig.json` names, and what they import.
 */
export function readProgram(tsConfigFilePath: string): ts.Program {
  if (!existsSync(tsConfigFilePath))
    throw new ProjectError(
      `There is no ${tsConfigFilePath}. Name the consumer's tsconfig.json with --project.`,
    )
  const project = new Project({ tsConfigFilePath })
  if (project.getSourceFiles().length === 0)
    throw new ProjectError(
      `${tsConfigFilePath} names no files. If it only has references, name one of these with --project.`,
    )
  return project.getProgram().compilerObject
}
