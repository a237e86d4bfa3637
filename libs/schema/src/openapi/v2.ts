import type { JsonObject } from '@orch/machinery';
import { discoveryOperations } from './discovery-operations.js';
import { modelWriter } from './models.js';
import { type Operation, operationExtensions, operationsOf, type Parameter } from './operations.js';
import { OPENAPI_V2, type SchemaWriter } from './schema-object.js';
import type { OpenApiSource } from './source.js';
import { patchModel } from './v3.js';

/** The OpenAPI 2.0 document of everything that is served. */
export function openApiV2Document(source: OpenApiSource): JsonObject {
  const writer = modelWriter(OPENAPI_V2, source);
  const paths: Record<string, JsonObject> = {};
  const ofResources = source.served.flatMap((definition) => operationsOf(definition, source));
  for (const operation of [...ofResources, ...discoveryOperations(source)]) {
    const item = paths[operation.path] ?? {};
    item[operation.method] = operationObject(operation, writer, source);
    paths[operation.path] = item;
  }
  for (const definition of source.served) writer.reference(definition.schema);
  writer.reference(source.scheme.struct('meta/v1.WatchEvent'));
  return {
    swagger: '2.0',
    info: { title: 'API', version: source.release },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    definitions: writer.finish(),
  };
}

function operationObject(operation: Operation, writer: SchemaWriter, source: OpenApiSource): JsonObject {
  const { response } = operation;
  const schema = response ? writer.reference(response) : { type: 'string' };
  const body = bodyParameter(operation, writer, source);
  return {
    description: operation.description,
    consumes: [...operation.consumes],
    produces: [...operation.produces],
    schemes: ['https'],
    tags: [operation.tag],
    operationId: operation.operationId,
    parameters: [...body, ...operation.parameters.map(parameterObject)],
    responses: {
      ...Object.fromEntries(operation.codes.map((code) => [String(code), { description: 'OK', schema }])),
      '401': { description: 'Unauthorized' },
    },
    ...operationExtensions(operation, source.scheme.names.extensionPrefix),
  };
}

function bodyParameter({ method, action, body }: Operation, writer: SchemaWriter, source: OpenApiSource): JsonObject[] {
  const schema = action === 'patch' ? patchModel(writer, source) : body && writer.reference(body);
  if (!schema) return [];
  return [{ name: 'body', in: 'body', ...(method !== 'delete' && { required: true }), schema }];
}

const parameterObject = ({ name, in: place, description, type }: Parameter): JsonObject => ({
  uniqueItems: true,
  type,
  ...(description && { description }),
  name,
  in: place,
  ...(place === 'path' && { required: true }),
});
