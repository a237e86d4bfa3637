import type { JsonObject } from '@orch/machinery';
import type { Steps } from '../structural/index.js';
import { discoveryOperations } from './discovery-operations.js';
import { modelWriter } from './models.js';
import { type OpenApiOp, operationExtensions, type Parameter } from './operations.js';
import { pathItems } from './path-items.js';
import { OPENAPI_V2, type SchemaWriter } from './schema-object.js';
import type { OpenApiSource } from './source.js';
import { patchModel } from './v3.js';

/** Generates the OpenAPI 2.0 document of everything that is served. */
export function* openApiV2Document(source: OpenApiSource): Steps<JsonObject> {
  const writer = modelWriter(OPENAPI_V2, source);
  const describe = (operation: OpenApiOp) => operationObject(operation, writer, source);
  const served = source.groups.flat();
  const paths = yield* pathItems(served, discoveryOperations(source), source, describe);
  for (const { schema } of served) writer.reference(schema);
  writer.reference(source.scheme.struct('meta/v1.WatchEvent'));
  const definitions = yield* writer.finish();
  return { swagger: '2.0', info: { title: 'API', version: source.release }, paths, definitions };
}

function operationObject(operation: OpenApiOp, writer: SchemaWriter, source: OpenApiSource): JsonObject {
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

function bodyParameter({ method, action, body }: OpenApiOp, writer: SchemaWriter, source: OpenApiSource): JsonObject[] {
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
