import { randomUUID } from 'node:crypto';
import type { Allocators } from '@orch/kinds';
import {
  type ApiObject,
  badRequest,
  copy,
  ensureMetadata,
  formatTime,
  generateName,
  type ObjectMeta,
} from '@orch/machinery';
import type { Key, Store, WriteOutcome } from '@orch/storage';
import { fromStored, toStoredBody } from '../representation/stored-body.js';
import type { Endpoint, Stored } from '../served/endpoint.js';
import { conclude, type Fate, fateAfter } from './allocation-fate.js';
import { createError } from './create-error.js';
import { checkPlace, invalidObject, namedVersion, validateMeta } from './object-checks.js';
import { toStorage } from './to-storage.js';
import type { WriteRequest } from './write-request.js';

export interface CreatorOptions {
  readonly store: Store;
  /** Where namespaces are, for dry runs to look whether one is there. */
  readonly namespaces: Endpoint;
  /** Addresses and ports that objects may be given. */
  readonly allocators: Allocators;
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
      const outcome = await this.#createOnce(request, copyIf(generated, object));
      if ('body' in outcome) return outcome;
      if (outcome.outcome === 'already-exists' && generated && attempt < NAME_ATTEMPTS) continue;
      throw createError(endpoint, request.key.namespace, meta, outcome);
    }
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
    const object = toStorage(endpoint, served);
    endpoint.storageRules.prepareForCreate(object, request.caller);
    const errors = [
      ...validateMeta(endpoint, object),
      // What the version that was sent asks of new objects, beside what is asked in every version.
      ...(endpoint.conversion ? endpoint.rules.validateCreate(served) : []),
      ...endpoint.storageRules.validateCreate(object).map((error) => ({
        ...error,
        field: endpoint.rules.refusedFieldName(error.field),
      })),
    ];
    if (errors.length > 0) throw invalidObject(endpoint, object, errors);
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

const copyIf = <T>(needed: boolean, value: T): T => (needed ? copy(value) : value);
