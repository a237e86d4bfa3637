import type protobuf from 'protobufjs';
import type { ResourceDescriptor } from '../../libs/schema/src/descriptor.js';
import { recordOptions, words } from './options.js';

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];
const RESOURCE = ['plural', 'short', 'categories', 'scope', 'verbs', 'no_list', 'virtual', 'stored_as'];

/** Reads the collection that a message declares; undefined without one. `known` tests whether a struct id exists. */
export function readResource(
  message: protobuf.Type,
  packageOf: string,
  known: (id: string) => boolean,
): ResourceDescriptor | undefined {
  const [given] = recordOptions(message, 'resource', RESOURCE);
  if (!given) return undefined;
  if (typeof given.plural !== 'string') throw new Error(`${message.fullName}: no plural`);
  const reference = (id: unknown): string => {
    if (typeof id !== 'string' || !known(id)) throw new Error(`${message.fullName}: no message ${String(id)}`);
    return id;
  };
  const short = words(given.short);
  const categories = words(given.categories);
  const subresources = readSubresources(message, `${packageOf}.${message.name}`, reference);
  const columns = readColumns(message);
  const lifecycle = readLifecycle(message, reference);
  return {
    plural: given.plural,
    ...(short && { short }),
    ...(categories && { categories }),
    ...(isNamespaced(message, given.scope) && { namespaced: true }),
    verbs: words(given.verbs) ?? ALL_VERBS,
    ...(given.no_list === true && { noList: true }),
    ...(given.virtual === true && { virtual: true }),
    ...(given.stored_as !== undefined && { storedAs: reference(given.stored_as) }),
    ...(subresources.length > 0 && { subresources }),
    ...(columns.length > 0 && { columns }),
    ...(lifecycle && { lifecycle }),
  };
}

function isNamespaced(message: protobuf.Type, scope: unknown): boolean {
  if (scope !== 'namespaced' && scope !== 'cluster') throw new Error(`${message.fullName}: scope ${String(scope)}`);
  return scope === 'namespaced';
}

function readSubresources(message: protobuf.Type, self: string, reference: (id: unknown) => string) {
  return recordOptions(message, 'subresource', ['name', 'kind', 'verbs', 'stream']).map((given) => ({
    name: String(given.name),
    kind: given.kind === undefined ? self : reference(given.kind),
    verbs: words(given.verbs) ?? SUBRESOURCE_VERBS,
    ...(given.stream === true && { stream: true }),
  }));
}

function readColumns(message: protobuf.Type) {
  return recordOptions(message, 'column', ['name', 'type', 'format', 'priority']).map((given) => ({
    name: String(given.name),
    type: String(given.type ?? 'string'),
    format: String(given.format ?? ''),
    priority: Number(given.priority ?? 0),
  }));
}

function readLifecycle(
  message: protobuf.Type,
  reference: (id: unknown) => string,
): ResourceDescriptor['lifecycle'] | undefined {
  const [given] = recordOptions(message, 'lifecycle', ['introduced', 'deprecated', 'removed', 'replacement']);
  if (!given) return undefined;
  return {
    ...(given.introduced !== undefined && { introduced: String(given.introduced) }),
    ...(given.deprecated !== undefined && { deprecated: String(given.deprecated) }),
    ...(given.removed !== undefined && { removed: String(given.removed) }),
    ...(given.replacement !== undefined && { replacement: reference(given.replacement) }),
  };
}
