import { type ApiObject, formatApiVersion, type Names } from '@orch/machinery';
import { type Column, fullObject } from '@orch/schema';
import type { Endpoint } from '../served/endpoint.js';
import type { ObjectModel } from '../served/object-model.js';
import type { Stored } from './stored.js';
import { fromStored } from './stored-body.js';

/** View of an object: the object itself, a row of a table, or its metadata alone. */
export interface Shape {
  readonly name: 'self' | 'table' | 'partial';
  readonly listKind: string;
  readonly apiVersion: string;
  /** Field of a collection that holds the items. */
  readonly itemsField: 'items' | 'rows';
  /** Fields of the collection besides metadata and items. */
  readonly envelope: Readonly<Record<string, unknown>>;
  /** An item of a collection. */
  item(stored: Stored): Record<string, unknown>;
  /** Returns one object alone, with its type. */
  single(stored: Stored): ApiObject;
  /** Same for a stream that has sent before what is left out here. */
  following?(stored: Stored): ApiObject;
}

/**
 * Returns the object in the version that the endpoint serves, as this server processes it: empty members may be left
 * out.
 */
export function servedObject(endpoint: Endpoint, stored: Stored): ApiObject {
  const object = fromStored(stored, endpoint);
  return endpoint.conversion ? endpoint.conversion.toServed(object) : object;
}

/** Returns an object with the members that release 1.27 always writes for its kind; does not modify the object. */
export const inFullForm = ({ struct }: Pick<ObjectModel, 'struct'>, object: ApiObject): ApiObject =>
  struct ? fullObject(struct, object) : object;

/** Returns the object as clients see it. */
const shownObject = (endpoint: Endpoint, stored: Stored): ApiObject =>
  inFullForm(endpoint.model, servedObject(endpoint, stored));

/** Whether each item of a list has its type. Those of custom kinds do: clients have no built-in knowledge of these. */
export const itemsHaveTypes = ({ model }: Endpoint): boolean => model.struct === undefined;

/** Shape of the objects themselves. */
export function selfShape(endpoint: Endpoint): Shape {
  return {
    name: 'self',
    listKind: endpoint.definition.listKind,
    apiVersion: endpoint.apiVersion,
    itemsField: 'items',
    envelope: {},
    item(stored) {
      const object = shownObject(endpoint, stored);
      if (itemsHaveTypes(endpoint)) return object;
      const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
      return rest;
    },
    single: (stored) => shownObject(endpoint, stored),
  };
}

/** Shape of the metadata of objects (PartialObjectMetadata). */
export function partialShape(endpoint: Endpoint, names: Names, version: string): Shape {
  const apiVersion = formatApiVersion({ group: names.metaGroup, version });
  const single = (stored: Stored) => partialObject(apiVersion, servedObject(endpoint, stored));
  return {
    name: 'partial',
    listKind: 'PartialObjectMetadataList',
    apiVersion,
    itemsField: 'items',
    envelope: {},
    item: single,
    single,
  };
}

const partialObject = (apiVersion: string, { metadata = {} }: ApiObject): ApiObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion,
  metadata,
});

/** How much of the object a row of a table contains (`includeObject`). */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Shape of objects as rows of a Table. @param now milliseconds since 1970, for ages */
export function tableShape(
  endpoint: Endpoint,
  names: Names,
  version: string,
  include: IncludeObject,
  now: () => number,
): Shape {
  const apiVersion = formatApiVersion({ group: names.metaGroup, version });
  const row = (stored: Stored): Record<string, unknown> => {
    const object = servedObject(endpoint, stored);
    const cells = endpoint.rules.cells(object, now());
    if (include === 'None') return { cells };
    const carried = include === 'Object' ? inFullForm(endpoint.model, object) : partialObject(apiVersion, object);
    return { cells, object: carried };
  };
  const columnDefinitions = endpoint.definition.columns.map(columnDefinition);
  const table = (columns: unknown, stored: Stored): ApiObject => ({
    kind: 'Table',
    apiVersion,
    metadata: stored.version === 0n ? {} : { resourceVersion: String(stored.version) },
    columnDefinitions: columns,
    rows: [row(stored)],
  });
  return {
    name: 'table',
    listKind: 'Table',
    apiVersion,
    itemsField: 'rows',
    envelope: { columnDefinitions },
    item: row,
    single: (stored) => table(columnDefinitions, stored),
    following: (stored) => table(null, stored),
  };
}

const columnDefinition = ({ name, type, format, description, priority }: Column) => ({
  name,
  type,
  format,
  description,
  priority,
});
