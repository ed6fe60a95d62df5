/** What a reader of the guide on vendoring sees, from the first commit to a release and to the workflow's pull request. */
export type Followed = {
  readonly withoutGenerating: string
  readonly changes: string
  readonly withoutChangeset: string
  readonly version: string
  readonly changelog: string
  readonly pushed: string
  readonly pullRequest: string
}

export function followContract(options: {
  readonly folder: string
  readonly contract: unknown
  readonly env: Readonly<Record<string, string>>
}): Promise<Followed>
