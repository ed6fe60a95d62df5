import { inlineReferences } from '../contract/inline.js'
import {
  fillRequired,
  findExample,
  type AccessData,
  type OperationData,
  type ParameterData,
  type Place,
} from '../contract/operation-data.js'
import {
  findOperation,
  listExamples,
  listParameters,
  toObject,
  toText,
  type Json,
  type DocumentReader,
} from '../contract/read.js'

const places: readonly string[] = ['path', 'query', 'header', 'cookie'] satisfies Place[]

/** Reads what the console of an operation of any document needs. */
export function describeCall(
  document: Json,
  read: DocumentReader,
  { id, method, path }: { readonly id: string; readonly method: string; readonly path: string },
  access: AccessData,
): OperationData {
  const { item, operation } = findOperation(document, read, { path, method })
  const listed = listParameters(read, item, operation).filter(({ in: place }) =>
    places.includes(String(place)),
  )
  // a page cannot send the cookies of a parameter
  const parameters = listed
    .filter((one) => one['in'] !== 'cookie')
    .map((one) => toParameter(read, one))
  const examples = listed.map((parameter, index) => ({
    place: String(parameter['in']),
    name: String(parameter['name']),
    value: findParameterExample(read, parameter, parameters[index]),
  }))
  const of = (place: Place) =>
    Object.fromEntries(
      examples
        .filter((one) => one.place === place && one.value !== undefined)
        .map(({ name, value }) => [name, value]),
    )
  const body = chooseBody(read, operation)
  return {
    id,
    method,
    path,
    credentials: [],
    access,
    pays: false,
    parameters,
    ...(body && { body: { mediaType: body.mediaType, schema: body.schema } }),
    example: {
      path: of('path'),
      query: of('query'),
      header: of('header'),
      ...(body && { body: body.example }),
    },
  }
}

function toParameter(read: DocumentReader, parameter: Json): ParameterData {
  const { name, in: place, required, style, explode, schema, content } = parameter
  const [media] = Object.values(toObject(content))
  return {
    name: String(name),
    in: place as Place,
    required: required === true || place === 'path',
    schema: inlineReferences(read, schema ?? toObject(media)['schema']),
    ...(typeof style === 'string' && { style }),
    ...(media !== undefined && { style: 'json' }),
    ...(typeof explode === 'boolean' && { explode }),
  }
}

/** An example of a required parameter. Others stay empty, which calls the operation as by default. */
function findParameterExample(
  read: DocumentReader,
  parameter: Json,
  data: ParameterData | undefined,
): unknown {
  if (parameter['required'] !== true) return undefined
  const [example] = listExamples(read, parameter)
  return example?.value ?? (data && (findExample(data.schema) ?? data.schema.default))
}

/** A body as JSON if the operation takes that, else as its first media type. */
function chooseBody(read: DocumentReader, operation: Json) {
  const contents = Object.entries(toObject(read(operation['requestBody'])['content']))
  const chosen = contents.find(([mediaType]) => /[/+]json\b/i.test(mediaType)) ?? contents[0]
  if (chosen === undefined) return undefined
  const [mediaType, media] = chosen
  const [example] = listExamples(read, toObject(media))
  if (/[/+]json\b|form/i.test(mediaType)) {
    const schema = inlineReferences(read, toObject(media)['schema'])
    const filled = schema.properties === undefined ? undefined : fillRequired(schema)
    return { mediaType, schema, example: example?.value ?? filled }
  }
  // other fields have no serialization: the reader writes the text, or chooses a file
  return /xml|yaml|^text\//i.test(mediaType)
    ? {
        mediaType,
        schema: { type: 'string', contentMediaType: mediaType },
        example: toText(example?.value),
      }
    : { mediaType, schema: { format: 'binary' }, example: undefined }
}
