import { randomUUID } from 'node:crypto';
import type { Allocators } from '@orch/kinds';
import { type ApiObject, badRequest, ensureMetadata, formatTime, generateName, type ObjectMeta } from '@orch/machinery';
import type { Key, Store, WriteOutcome } from '@orch/storage';
import { turnFor } from '../decoding/turns.js';
import type { Endpoint, Stored } from '../endpoint.js';
import { fromStored, toStoredBody } from '../representation/stored-body.js';
import { conclude, type Fate, fateAfter } from './allocation-fate.js';
import { createError } from './create-error.js';
import {
  checkPlace,
  invalidObject,
  namedVersion,
  type ObjectLimits,
  sizeError,
  validateMeta,
} from './object-checks.js';
import { toStorage } from './to-storage.js';
import type { WriteRequest } from './write-request.js';

export interface CreatorOptions {
  readonly store: Store;
  /** Where namespaces are, for dry runs to look whether one is there. */
  readonly namespaces: Endpoint;
  /** Addresses and ports that objects may be given. */
  readonly allocators: Allocators;
  readonly limits: ObjectLimits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const NAME_ATTEMPTS = 5;

/** New objects: default → prepare → validate → store. */
export class ObjectCreator {
  constructor(private readonly options: CreatorOptions) {}

  /**
   * @param object decoded, in the version that the endpoint serves; owned by the writer from here on
   * @throws StatusError 409, 422, 404 for a missing namespace, 403 for one that is going away
   */
  async create(request: WriteRequest, object: ApiObject): Promise<Stored> {
    const { endpoint } = request;
    const meta = ensureMetadata(object);
    if (namedVersion(object) !== '') throw badRequest('resourceVersion should not be set on objects to be created');
    checkPlace(endpoint, request.key, meta);
    const generated = !meta.name && meta.generateName !== undefined && meta.generateName !== '';
    for (let attempt = 1; ; attempt++) {
      if (generated) meta.name = generateName(meta.generateName ?? '');
      const outcome = await this.#createOnce(request, structuredCloneIf(generated, object));
      if ('body' in outcome) return outcome;
      if (outcome.outcome === 'already-exists' && generated && attempt < NAME_ATTEMPTS) continue;
      throw createError(endpoint, request.key.namespace, meta, outcome);
    }
  }

  async #createOnce(request: WriteRequest, served: ApiObject): Promise<Stored | WriteOutcome> {
    const { endpoint, dryRun } = request;
    const object = this.#prepareNew(request, served);
    await turnFor(request.bytes);
    validateNew(endpoint, object, served);
    await turnFor(request.bytes);
    const allocation = await endpoint.storageRules.allocate(object, undefined, this.options.allocators);
    let fate: Fate = 'dropped';
    try {
      const body = toStoredBody(object);
      const tooMuch = sizeError(body, this.options.limits);
      if (tooMuch) throw tooMuch;
      await turnFor(request.bytes);
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
    const object = toStorage(endpoint, served);
    endpoint.storageRules.prepareForCreate(object);
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
      origin: request.origin,
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
}

const structuredCloneIf = <T>(needed: boolean, value: T): T => (needed ? structuredClone(value) : value);

/** @throws StatusError 422 */
function validateNew(endpoint: Endpoint, object: ApiObject, served: ApiObject): void {
  const errors = [
    ...validateMeta(endpoint, object),
    // What the version that was sent asks of new objects, beside what is asked in every version.
    ...(endpoint.conversion ? endpoint.rules.validateCreate(served) : []),
    ...endpoint.storageRules.validateCreate(object),
  ];
  if (errors.length > 0) throw invalidObject(endpoint, object, errors);
}
