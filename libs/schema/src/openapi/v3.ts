import { createHash } from 'node:crypto';
import type { JsonObject } from '@orch/machinery';
import type { Steps } from '../structural/index.js';
import { discoveryOperations, documentOf } from './discovery-operations.js';
import { encodeOpenApiV3Protobuf } from './gnostic/index.js';
import { modelWriter } from './models.js';
import { groupVersionPath, type Operation, operationExtensions, operationsOf, type Parameter } from './operations.js';
import { OPENAPI_V3, type SchemaWriter } from './schema-object.js';
import type { DocumentedResource, OpenApiSource } from './source.js';

/** The document of one group-version as bytes, and the digest that its URL carries. */
export interface OpenApiV3Document {
  /** The document as it is sent, UTF-8; shared, not to be changed. */
  readonly json: Buffer;
  /** SHA-512 of `json`, upper-case hexadecimal. */
  readonly hash: string;
  /** The same as protobuf, made when it is first asked for; shared, not to be changed. */
  readonly protobuf: () => Buffer;
}

/**
 * OpenAPI 3.0 documents, one for each group-version, made on first use from one set of served resources. Whoever
 * changes the set makes a new object.
 */
export class OpenApiV3 {
  private readonly documents = new Map<string, OpenApiV3Document>();
  /** What each document has beside resources; there is a document for each. */
  private readonly discovery: ReadonlyMap<string, Operation>;
  private readonly resources = new Map<string, DocumentedResource[]>();

  /** @param before of the set that there was: documents of what is the same still are taken over */
  constructor(
    private readonly source: OpenApiSource,
    before?: OpenApiV3,
  ) {
    this.discovery = new Map(discoveryOperations(source).map((operation) => [documentOf(operation), operation]));
    for (const definition of source.served) {
      const path = groupVersionPath(definition).slice(1);
      const known = this.resources.get(path);
      if (known) known.push(definition);
      else this.resources.set(path, [definition]);
    }
    for (const [path, document] of before?.documents ?? []) {
      if (this.has(path) && isSame(this.of(path), before?.of(path) ?? [])) this.documents.set(path, document);
    }
  }

  /**
   * What `/openapi/v3` answers: the URL of each document, with its hash, so that clients may cache it for ever. In steps, of which each
   * makes a document.
   */
  *index(): Steps<JsonObject> {
    const entries: [string, JsonObject][] = [];
    for (const path of [...this.discovery.keys()].sort()) {
      const hash = this.document(path)?.hash ?? '';
      entries.push([path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]);
      yield;
    }
    return { paths: Object.fromEntries(entries) };
  }

  private of(path: string): readonly DocumentedResource[] {
    return this.resources.get(path) ?? [];
  }

  /** Whether there is a document; makes none. */
  has(path: string): boolean {
    return this.discovery.has(path);
  }

  /** The document of `api/v1` or `apis/<group>/<version>`, or of discovery above them; undefined for what is not served. */
  document(path: string): OpenApiV3Document | undefined {
    const discovery = this.discovery.get(path);
    if (!discovery) return undefined;
    const known = this.documents.get(path);
    if (known) return known;
    const json = Buffer.from(JSON.stringify(openApiV3Document(this.source, this.of(path), discovery)));
    let binary: Buffer | undefined;
    const protobuf = (): Buffer => {
      binary ??= encodeOpenApiV3Protobuf(JSON.parse(json.toString()) as JsonObject);
      return binary;
    };
    const document = { json, hash: createHash('sha512').update(json).digest('hex').toUpperCase(), protobuf };
    this.documents.set(path, document);
    return document;
  }
}

/** Whether documents tell the same of resources: what is declared does not change, and a definition that changes has another schema. */
const isSame = (a: readonly DocumentedResource[], b: readonly DocumentedResource[]): boolean =>
  a.length === b.length &&
  a.every(({ schema, verbs }, at) => schema === b[at]?.schema && verbs.join() === b[at]?.verbs.join());

/** The document of the resources of one group-version, or of none, as of a path of discovery alone. */
function openApiV3Document(
  source: OpenApiSource,
  definitions: readonly DocumentedResource[],
  discovery: Operation,
): JsonObject {
  const writer = modelWriter(OPENAPI_V3, source);
  const paths: Record<string, JsonObject> = {};
  const ofResources = definitions.flatMap((definition) => operationsOf(definition, source));
  for (const operation of [...ofResources, discovery]) {
    const item = paths[operation.path] ?? {};
    item[operation.method] = operationObject(operation, writer, source);
    paths[operation.path] = item;
  }
  for (const definition of definitions) writer.reference(definition.schema);
  if (definitions.length > 0) writer.reference(source.scheme.struct('meta/v1.WatchEvent'));
  return {
    openapi: '3.0.0',
    info: { title: 'API', version: source.release },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: { schemas: writer.finish() },
  };
}

function operationObject(operation: Operation, writer: SchemaWriter, source: OpenApiSource): JsonObject {
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
  { method, action, body, consumes }: Operation,
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

/** Patches have no declaration of their own: what one may hold depends on its media type. */
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
