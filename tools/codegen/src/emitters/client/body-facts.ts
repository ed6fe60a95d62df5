import {
  contentKind,
  findBodyShape,
  isForm,
  isSerializedForm,
  listXmlParts,
  type BodyShape,
} from '../../emit/content.js'
import { block, code, type Code } from '../../emit/code.js'
import { listBodyFacts } from '../../emit/operation-facts.js'
import { holdsDate, holdsTemporal } from '../../emit/values/converted.js'
import type { Api, BodyContent, RequestBody } from '../../ir/api.js'
import type { Json } from '../../ir/schema.js'
import { printObject, type Entry } from './records.js'
import type { RuntimeImports } from './runtime-imports.js'

/** The facts of a body by media type, and the functions that take it from the input and encode it. */
export function printBody(
  api: Api,
  body: RequestBody,
  besideParameters: boolean,
  maxFileBytes: Json | undefined,
  runtime: RuntimeImports,
): Code {
  const all = body.contents.map((content) =>
    printObject(listBodyEntries(api, body, content, besideParameters, maxFileBytes, runtime)),
  )
  if (all.length < 2) return all[0] ?? printObject([])
  return code`/* @__PURE__ */ ${runtime.more('choice')('chooseBody')}(${block(all, '[]')})`
}

function listBodyEntries(
  api: Api,
  body: RequestBody,
  content: BodyContent,
  besideParameters: boolean,
  maxFileBytes: Json | undefined,
  runtime: RuntimeImports,
): readonly Entry[] {
  const take = chooseTaker(findBodyShape(api, body, content), body.required, besideParameters)
  const facts = listBodyFacts(api, body, content)
  const hasFiles = facts.some(([name, value]) => name === 'files' && value !== undefined)
  return [
    ['required', (body.required && take !== 'takeInput') || undefined],
    ...facts,
    ['maxFileBytes', typeof maxFileBytes === 'object' && hasFiles ? maxFileBytes : undefined],
    ['take', take === 'takeNested' ? runtime.more('nested')(take) : runtime.body(take)],
    ['encode', printEncoder(api, content, runtime)],
  ]
}

function chooseTaker(
  { flatten, nested }: BodyShape,
  required: boolean,
  besideParameters: boolean,
): string {
  if (nested.length > 0) return 'takeNested'
  if (flatten === 'body') return 'takeBody'
  return besideParameters ? 'takeFields' : required ? 'takeInput' : 'takeGivenInput'
}

function printEncoder(api: Api, content: BodyContent, runtime: RuntimeImports): Code {
  const kind = content.stream?.kind
  if (kind !== undefined && kind !== 'events') {
    const items =
      kind === 'parts'
        ? runtime.more('encode-parts')('encodeParts')
        : runtime.more('encode-items')(kind === 'lines' ? 'encodeLines' : 'encodeSequence')
    const safe = kind === 'parts' ? items : printChecked('checkItems', items, runtime)
    if (!holdsDate(api, content.schema)) return safe
    return code`/* @__PURE__ */ ${runtime.values[holdsTemporal(api, content.schema) ? 'temporal' : 'date']}.prepareItems(${safe})`
  }
  const name = chooseEncoder(api, content)
  const piece = importEncoder(api, content, runtime)
  const written =
    name === 'encodeRaw'
      ? piece
      : printChecked(name === 'encodeJson' ? 'checkJson' : 'checkForm', piece, runtime)
  if (listXmlParts(api, content).length === 0) return written
  return code`/* @__PURE__ */ ${runtime.more('xml-parts')('withXmlParts')}(${written})`
}

function printChecked(
  name: 'checkItems' | 'checkJson' | 'checkForm',
  encode: Code,
  { isChecked, more }: RuntimeImports,
): Code {
  return isChecked ? code`/* @__PURE__ */ ${more('checked')(name)}(${encode})` : encode
}

function importEncoder(api: Api, content: BodyContent, runtime: RuntimeImports): Code {
  const name = chooseEncoder(api, content)
  if (name === 'encodeJson')
    return content.mediaType.includes('*')
      ? runtime.more('encode-range')('encodeJsonOfRange')
      : runtime.body(name)
  return runtime.more(name === 'encodeRaw' ? 'encode-raw' : 'encode-form')(name)
}

/** The name of the function that encodes a body. */
export function chooseEncoder(api: Api, first: BodyContent | undefined): string {
  if (first !== undefined && contentKind(first, api) === 'json') return 'encodeJson'
  if (first === undefined || !isForm(first.mediaType) || isSerializedForm(api, first))
    return 'encodeRaw'
  return /^multipart/i.test(first.mediaType) ? 'encodeMultipart' : 'encodeForm'
}
