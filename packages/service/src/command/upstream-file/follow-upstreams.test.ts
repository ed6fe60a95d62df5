import { describe, expect, it } from 'vitest'
import type { GivenUpstream } from '../../platform/upstream/upstream-settings.js'
import { followUpstreams } from './start-upstreams.js'

const createUpstream = (name: string): GivenUpstream => ({
  name,
  capability: 'speech',
  url: 'https://a.example/v1',
})

/** A file whose content is set, with what was made of it. */
function followFile() {
  const made: (readonly GivenUpstream[])[] = []
  const records: string[] = []
  const file: { content: readonly GivenUpstream[] | Error } = { content: [createUpstream('a')] }
  const read = () => {
    if (file.content instanceof Error) throw file.content
    return file.content
  }
  const log = {
    info: (message: string) => void records.push(message),
    trouble: ({ message }: Error) => void records.push(message),
  }
  const { look } = followUpstreams({
    file: 'u.yaml',
    read,
    first: read(),
    upstreams: { replace: (all) => void made.push(all) },
    log,
  })
  return { file, made, records, look }
}

describe('a watched upstreams file', () => {
  it('replaces the upstreams only when its content changes', () => {
    const { file, made, records, look } = followFile()
    look()
    expect(made).toEqual([])
    file.content = [createUpstream('a'), createUpstream('b')]
    look()
    look()
    expect(made).toEqual([[createUpstream('a'), createUpstream('b')]])
    expect(records).toEqual(['upstreams replaced'])
  })

  it('replaces them when a secret changes', () => {
    const { file, made, look } = followFile()
    file.content = [{ ...createUpstream('a'), apiKey: 'new' }]
    look()
    expect(made).toHaveLength(1)
  })

  it('changes nothing while it is invalid, and logs each different error once', () => {
    const { file, made, records, look } = followFile()
    file.content = new Error('u.yaml:3: wrong\nu.yaml:4: wrong')
    look()
    look()
    expect(records).toEqual(['The upstreams stay as they were: u.yaml:3: wrong; u.yaml:4: wrong'])
    file.content = new Error('u.yaml:5: wrong')
    look()
    expect(records).toHaveLength(2)
    file.content = [createUpstream('c')]
    look()
    expect(made).toEqual([[createUpstream('c')]])
  })

  it('always reports the result of a requested reload', () => {
    const { file, records, look } = followFile()
    look(true)
    file.content = new Error('wrong')
    look(true)
    look(true)
    expect(records).toEqual([
      'upstreams unchanged',
      'The upstreams stay as they were: wrong',
      'The upstreams stay as they were: wrong',
    ])
  })
})
