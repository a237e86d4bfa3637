import { randomUUID } from 'node:crypto';
import type { Allocation, Allocators } from '@orch/kinds';
import {
  type ApiObject,
  alreadyExists,
  badRequest,
  conflict,
  ensureMetadata,
  type FieldError,
  formatTime,
  generateName,
  invalid,
  invalidValue,
  notFound,
  type ObjectMeta,
  STALE_WRITE,
  StatusError,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@orch/machinery';
import { applyDefaults } from '@orch/schema';
import { type Key, type Store, StoreUnavailableError, type WriteOutcome } from '@orch/storage';
import type { Endpoint, Stored } from '../endpoint.js';
import type { ObjectReader } from '../reading/object-reader.js';
import { fromStored, toStoredBody } from '../representation/stored-body.js';
import { sameBody } from './same-body.js';

/** One modifying request, without HTTP. */
export interface WriteRequest {
  readonly endpoint: Endpoint;
  readonly key: Key;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly dryRun: boolean;
}

/** Makes the wanted object from the current one, both in the version that the endpoint serves. */
export type Change = (current: ApiObject) => ApiObject | Promise<ApiObject>;

export interface Updated {
  readonly stored: Stored;
  /** The update removed the last finalizer of an object on its way out. */
  readonly removed: boolean;
}

export interface WriterOptions {
  readonly store: Store;
  readonly reader: ObjectReader;
  /** Where namespaces are, for dry runs to look whether one is there. */
  readonly namespaces: Endpoint;
  /** Addresses and ports that objects may be given. */
  readonly allocators: Allocators;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Attempts at a write whose base was overtaken, when the client itself named no version. One of those that write the
 * same object at a time gets through, so this is also how many may.
 */
export const WRITE_ATTEMPTS = 256;
const NAME_ATTEMPTS = 5;

/** default → prepare → validate → store: the part of the pipeline that every modifying verb shares. */
export class ObjectWriter {
  constructor(private readonly options: WriterOptions) {}

  /**
   * @param object decoded, in the version that the endpoint serves; owned by the writer from here on
   * @throws StatusError 409, 422, 404 for a missing namespace, 403 for one that is going away
   */
  async create(request: WriteRequest, object: ApiObject): Promise<Stored> {
    const { endpoint } = request;
    const meta = ensureMetadata(object);
    if (meta.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created');
    checkPlace(request.key, meta);
    const generated = !meta.name && meta.generateName !== undefined && meta.generateName !== '';
    for (let attempt = 1; ; attempt++) {
      if (generated) meta.name = generateName(meta.generateName ?? '');
      const outcome = await this.#createOnce(request, structuredCloneIf(generated, object));
      if ('body' in outcome) return outcome;
      if (outcome.outcome === 'already-exists' && generated && attempt < NAME_ATTEMPTS) continue;
      throw createError(endpoint, request.key.namespace, meta.name ?? '', outcome);
    }
  }

  /**
   * Reads, changes and writes back; tries again when overtaken, unless the changed object names a version itself.
   * @throws StatusError 404, 409, 422
   */
  async update(request: WriteRequest, change: Change): Promise<Updated> {
    const { endpoint, key } = request;
    const { reader } = this.options;
    let base = reader.hint(endpoint.type, key);
    let fresh = base === undefined;
    base ??= await reader.current(endpoint.type, key);
    for (let attempt = 1; ; attempt++) {
      if (!base) throw notFound(endpoint.groupResource, key.name);
      const result = await this.#updateOnce(request, base, change).catch((error: unknown) => {
        // What memory had may be behind: only the newest state decides against a request.
        if (fresh || !(error instanceof StatusError)) throw error;
        return 'stale' as const;
      });
      // An answer without a write would not have failed for a stale base.
      const doubtful = !fresh && typeof result === 'object' && (request.dryRun || result.stored === base);
      if (!doubtful && result !== 'stale' && result !== 'named-other-version') return result;
      if (fresh && (result === 'named-other-version' || attempt >= WRITE_ATTEMPTS)) {
        throw conflict(endpoint.groupResource, key.name, STALE_WRITE);
      }
      base = await this.options.store.get(endpoint.type, key);
      fresh = true;
    }
  }

  /** Writes the last state of an object out of existence; `stale` when it was overtaken. */
  async remove(request: WriteRequest, current: Stored, last: ApiObject): Promise<Stored | 'stale'> {
    const body = toStoredBody(last);
    if (request.dryRun) return { version: current.version, body };
    const outcome = await this.options.store.write({
      op: 'delete',
      type: request.endpoint.type,
      ...request.key,
      version: current.version,
      body,
    });
    if (outcome.outcome === 'committed') {
      await given(request.endpoint.storageRules.release(last, this.options.allocators));
      return { version: outcome.version, body };
    }
    if (outcome.outcome === 'not-found') throw notFound(request.endpoint.groupResource, request.key.name);
    return 'stale';
  }

  async #createOnce(request: WriteRequest, served: ApiObject): Promise<Stored | WriteOutcome> {
    const { endpoint, dryRun } = request;
    const object = this.#prepareNew(request, served);
    const allocation = await endpoint.storageRules.allocate(object, undefined, this.options.allocators);
    let fate: Fate = 'dropped';
    try {
      const body = toStoredBody(object);
      const outcome = await this.#storeNew(request, object.metadata ?? {}, body);
      if (outcome.outcome !== 'committed') return outcome;
      if (!dryRun) fate = 'kept';
      return { version: outcome.version, body };
    } catch (error) {
      fate = fateAfter(error);
      throw error;
    } finally {
      await conclude(allocation, fate);
    }
  }

  #prepareNew(request: WriteRequest, served: ApiObject): ApiObject {
    const { endpoint, key } = request;
    const meta = ensureMetadata(served);
    if (endpoint.definition.namespaced) meta.namespace = key.namespace;
    meta.uid = randomUUID();
    meta.creationTimestamp = formatTime(this.options.now());
    delete meta.deletionTimestamp;
    delete meta.deletionGracePeriodSeconds;
    delete meta.selfLink;
    delete meta.managedFields;
    delete meta.generation;
    const object = this.#toStorage(endpoint, served);
    endpoint.storageRules.prepareForCreate(object);
    const errors = [...validateMeta(endpoint, object), ...endpoint.storageRules.validateCreate(object)];
    if (errors.length > 0) throw invalidObject(endpoint, object, errors);
    return object;
  }

  /** Defaults apply in the version that was sent and again in the one that is stored. */
  #toStorage(endpoint: Endpoint, served: ApiObject): ApiObject {
    applyDefaults(endpoint.definition.schema, served);
    endpoint.rules.defaults(served);
    if (!endpoint.conversion) return served;
    const object = endpoint.conversion.toStorage(served);
    applyDefaults(endpoint.storage.schema, object);
    endpoint.storageRules.defaults(object);
    return object;
  }

  async #storeNew(request: WriteRequest, meta: ObjectMeta, body: Buffer): Promise<WriteOutcome> {
    const { endpoint, key, dryRun } = request;
    const at = { namespace: key.namespace, name: meta.name ?? '' };
    if (dryRun) return this.#tryNew(endpoint, at);
    return this.options.store.write({
      op: 'create',
      type: endpoint.type,
      ...at,
      uid: meta.uid ?? '',
      body,
      requireNamespace: endpoint.definition.namespaced,
    });
  }

  /** What a creation would come to. */
  async #tryNew(endpoint: Endpoint, at: Key): Promise<WriteOutcome> {
    const { store, namespaces } = this.options;
    if (endpoint.definition.namespaced) {
      const row = await store.get(namespaces.type, { namespace: '', name: at.namespace });
      if (!row) return { outcome: 'namespace-not-found' };
      const { metadata } = fromStored(row, namespaces.storageApiVersion, namespaces.storage.kind);
      if (metadata?.deletionTimestamp !== undefined) return { outcome: 'namespace-terminating' };
    }
    const existing = await store.get(endpoint.type, at);
    return existing ? { outcome: 'already-exists' } : { outcome: 'committed', version: 0n };
  }

  async #updateOnce(
    request: WriteRequest,
    base: Stored,
    change: Change,
  ): Promise<Updated | 'stale' | 'named-other-version'> {
    const { endpoint, key } = request;
    const old = fromStored(base, endpoint.storageApiVersion, endpoint.storage.kind);
    const served = await change(servedCopy(endpoint, old));
    const named = served.metadata?.resourceVersion;
    if (named !== undefined && named !== '' && named !== String(base.version)) return 'named-other-version';
    const object = this.#prepareUpdate(request, served, old, named ?? '');
    if (isGone(object, endpoint)) {
      const removed = await this.remove(request, base, object);
      return removed === 'stale' ? 'stale' : { stored: removed, removed: true };
    }
    const allocation = await endpoint.storageRules.allocate(object, old, this.options.allocators);
    let fate: Fate = 'dropped';
    try {
      const body = toStoredBody(object);
      if (sameBody(base.body, body)) return { stored: base, removed: false };
      if (request.dryRun) return { stored: { version: base.version, body }, removed: false };
      const terminating = object.metadata?.deletionTimestamp !== undefined;
      const op = { op: 'update', type: endpoint.type, ...key, version: base.version, body, terminating } as const;
      const outcome = await this.options.store.write(op);
      if (outcome.outcome !== 'committed') return 'stale';
      fate = 'kept';
      return { stored: { version: outcome.version, body }, removed: false };
    } catch (error) {
      fate = fateAfter(error);
      throw error;
    } finally {
      await conclude(allocation, fate);
    }
  }

  #prepareUpdate(request: WriteRequest, served: ApiObject, old: ApiObject, named: string): ApiObject {
    const { endpoint, key, subresource } = request;
    const { storageRules: rules } = endpoint;
    checkIdentity(endpoint, key, served, old);
    keepSystemFields(served, old);
    const object = this.#toStorage(endpoint, served);
    rules.prepareForUpdate(object, old, { subresource });
    const errors = [
      ...validateMeta(endpoint, object),
      ...validateObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}),
      ...rules.validateUpdate(object, old),
    ];
    if (!rules.unconditionalUpdate && named === '') {
      errors.push(invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'));
    }
    if (errors.length > 0) throw invalidObject(endpoint, object, errors);
    return object;
  }
}

/** What became of a write. */
type Fate = 'kept' | 'dropped' | 'unknown';

const fateAfter = (error: unknown): Fate =>
  error instanceof StoreUnavailableError && error.undecided ? 'unknown' : 'dropped';

/** Of a write that may have been committed nothing is given back: nobody else may get what it may hold. */
async function conclude(allocation: Allocation, fate: Fate): Promise<void> {
  if (fate === 'kept') await given(allocation.settle());
  if (fate === 'dropped') await given(allocation.undo());
}

/** What cannot be given back now stays taken, which harms less than a wrong answer to a write that has been decided. */
const given = (giving: Promise<void>): Promise<void> => giving.catch(() => undefined);

const structuredCloneIf = <T>(needed: boolean, value: T): T => (needed ? structuredClone(value) : value);

/** The live object in the version that the endpoint serves, for a change to work on. */
const servedCopy = ({ conversion }: Endpoint, old: ApiObject): ApiObject =>
  conversion ? conversion.toServed(old) : structuredClone(old);

function validateMeta(endpoint: Endpoint, object: ApiObject): FieldError[] {
  return validateObjectMeta(object.metadata ?? {}, {
    namespaced: endpoint.definition.namespaced,
    nameRule: endpoint.storageRules.nameRule,
    path: 'metadata',
  });
}

const invalidObject = (endpoint: Endpoint, object: ApiObject, errors: readonly FieldError[]) =>
  invalid(endpoint.definition.kind, endpoint.definition.group, object.metadata?.name ?? '', errors);

/** Nothing keeps an object that is on its way out once its finalizers are gone and its grace is over. */
function isGone(object: ApiObject, endpoint: Endpoint): boolean {
  const meta = object.metadata;
  if (meta?.deletionTimestamp === undefined || (meta.deletionGracePeriodSeconds ?? 0) > 0) return false;
  return !endpoint.storageRules.hasFinalizers(object);
}

/** An object that says where it belongs must say what the path says. */
function checkPlace(key: Key, meta: ObjectMeta): void {
  if (meta.name !== undefined && meta.name !== '' && meta.name !== key.name) {
    throw badRequest(`the name of the object (${meta.name}) does not match the name on the URL (${key.name})`);
  }
  if (meta.namespace !== undefined && meta.namespace !== '' && meta.namespace !== key.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

function checkIdentity(endpoint: Endpoint, key: Key, served: ApiObject, old: ApiObject): void {
  const meta = ensureMetadata(served);
  checkPlace(key, meta);
  if (meta.uid !== undefined && meta.uid !== '' && meta.uid !== old.metadata?.uid) {
    throw conflict(
      endpoint.groupResource,
      key.name,
      `Precondition failed: UID in precondition: ${meta.uid}, UID in object meta: ${old.metadata?.uid ?? ''}`,
    );
  }
}

/** What clients may leave out or may not set comes from the live object. */
function keepSystemFields(served: ApiObject, old: ApiObject): void {
  const meta = ensureMetadata(served);
  const live = old.metadata ?? {};
  meta.name = live.name ?? '';
  if (live.namespace !== undefined) meta.namespace = live.namespace;
  else delete meta.namespace;
  if (live.uid !== undefined) meta.uid = live.uid;
  meta.creationTimestamp ??= live.creationTimestamp ?? null;
  if (live.generation !== undefined) meta.generation = live.generation;
  else delete meta.generation;
  if (meta.deletionTimestamp === undefined && live.deletionTimestamp !== undefined) {
    meta.deletionTimestamp = live.deletionTimestamp;
  }
  if (meta.deletionGracePeriodSeconds === undefined && live.deletionGracePeriodSeconds !== undefined) {
    meta.deletionGracePeriodSeconds = live.deletionGracePeriodSeconds;
  }
  delete meta.selfLink;
  delete meta.managedFields;
}

function createError(endpoint: Endpoint, namespace: string, name: string, outcome: WriteOutcome): StatusError {
  switch (outcome.outcome) {
    case 'namespace-not-found':
      return notFound({ group: '', resource: 'namespaces' }, namespace);
    case 'namespace-terminating':
      return terminatingNamespace(endpoint, namespace, name);
    default:
      return alreadyExists(endpoint.groupResource, name);
  }
}

function terminatingNamespace(endpoint: Endpoint, namespace: string, name: string): StatusError {
  const { group, resource } = endpoint.groupResource;
  const qualified = group ? `${resource}.${group}` : resource;
  return new StatusError(
    'Forbidden',
    `${qualified} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    {
      name,
      ...(group && { group }),
      kind: resource,
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    },
  );
}
