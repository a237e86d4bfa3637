import type { JsonObject } from '@orch/machinery';
import type { Steps } from '../structural/index.js';
import { discoveryOperations, documentOf } from './discovery-operations.js';
import { documentedGroup } from './documented-group.js';
import { modelWriter } from './models.js';
import { type OpenApiOp, operationExtensions, type Parameter } from './operations.js';
import { pathItems } from './path-items.js';
import { OPENAPI_V3, type SchemaWriter } from './schema-object.js';
import type { DocumentedResource, OpenApiSource } from './source.js';

/** OpenAPI 3.0 documents of a set of served resources: one per group-version, and per path of discovery above them. */
export class OpenApiV3 {
  /** Discovery operation that each document has beside resources; there is a document for each. */
  private readonly discovery: ReadonlyMap<string, OpenApiOp>;
  private readonly resources = new Map<string, readonly DocumentedResource[]>();

  constructor(private readonly source: OpenApiSource) {
    this.discovery = new Map(discoveryOperations(source).map((operation) => [documentOf(operation), operation]));
    for (const group of source.groups) {
      for (const [path, { resources }] of documentedGroup(group).versions) this.resources.set(path.slice(1), resources);
    }
  }

  /** Paths of all documents: `api/v1`, `apis/<group>/<version>`, or of discovery above them; in order. */
  get paths(): string[] {
    return [...this.discovery.keys()].sort();
  }

  /** Whether there is a document. */
  has(path: string): boolean {
    return this.discovery.has(path);
  }

  /** Whether a document is the same here as in `others`: declarations are fixed; a new definition has a new schema. */
  tellsTheSame(path: string, others: OpenApiV3): boolean {
    const [here, there] = [this.of(path), others.of(path)];
    if (here === there && here.length > 0) return true;
    const isSame = ({ schema, verbs }: DocumentedResource, at: number): boolean =>
      schema === there[at]?.schema && verbs.join() === there[at]?.verbs.join();
    return others.has(path) && here.length === there.length && here.every(isSame);
  }

  /** Generates the document at one of {@link paths}. @throws RangeError for other paths */
  document(path: string): Steps<JsonObject> {
    const discovery = this.discovery.get(path);
    if (!discovery) throw new RangeError(`no document is at ${path}`);
    return openApiV3Document(this.source, this.of(path), discovery);
  }

  private of(path: string): readonly DocumentedResource[] {
    return this.resources.get(path) ?? [];
  }
}

/** Generates the document of the resources of one group-version, or of a discovery path alone. */
function* openApiV3Document(
  source: OpenApiSource,
  definitions: readonly DocumentedResource[],
  discovery: OpenApiOp,
): Steps<JsonObject> {
  const writer = modelWriter(OPENAPI_V3, source);
  const describe = (operation: OpenApiOp) => operationObject(operation, writer, source);
  const paths = yield* pathItems(definitions, [discovery], source, describe);
  for (const { schema } of definitions) writer.reference(schema);
  if (definitions.length > 0) writer.reference(source.scheme.struct('meta/v1.WatchEvent'));
  const schemas = yield* writer.finish();
  return { openapi: '3.0.0', info: { title: 'API', version: source.release }, paths, components: { schemas } };
}

function operationObject(operation: OpenApiOp, writer: SchemaWriter, source: OpenApiSource): JsonObject {
  const { response, codes, produces } = operation;
  const schema = response ? writer.reference(response) : { type: 'string' };
  const content = Object.fromEntries(produces.map((type) => [type, { schema }]));
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.operationId,
    parameters: operation.parameters.map(parameterObject),
    ...requestBody(operation, writer, source),
    responses: {
      ...Object.fromEntries(codes.map((code) => [String(code), { description: 'OK', content }])),
      '401': { description: 'Unauthorized' },
    },
    ...operationExtensions(operation, source.scheme.names.extensionPrefix),
  };
}

function requestBody(
  { method, action, body, consumes }: OpenApiOp,
  writer: SchemaWriter,
  source: OpenApiSource,
): JsonObject {
  const sent = action === 'patch' ? patchModel(writer, source) : body && writer.reference(body);
  if (!sent) return {};
  return {
    requestBody: {
      content: Object.fromEntries(consumes.map((type) => [type, { schema: sent }])),
      ...(method !== 'delete' && { required: true }),
    },
  };
}

/** Patches have no declaration of their own: their content depends on the media type. */
export function patchModel(writer: SchemaWriter, source: OpenApiSource): JsonObject {
  const name = source.scheme.struct('meta/v1.DeleteOptions').openapi.replace(/DeleteOptions$/, 'Patch');
  return writer.add(name, {
    description: 'A change of an object, in the form that its media type says.',
    type: 'object',
  });
}

const parameterObject = ({ name, in: place, description, type }: Parameter): JsonObject => ({
  name,
  in: place,
  ...(description && { description }),
  ...(place === 'path' && { required: true }),
  schema: { type, uniqueItems: true },
});
