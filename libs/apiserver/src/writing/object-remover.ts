import type { KindRules } from '@orch/kinds';
import {
  type ApiObject,
  conflict,
  ensureMetadata,
  formatTime,
  notFound,
  type ObjectMeta,
  STALE_WRITE,
  StatusError,
} from '@orch/machinery';
import type { Key, Row, Store } from '@orch/storage';
import type { ObjectReader } from '../reading/object-reader.js';
import { fromStored, toStoredBody } from '../representation/stored-body.js';
import type { Endpoint, Stored } from '../served/endpoint.js';
import type { DeleteOptions, PropagationPolicy } from './delete-options.js';
import type { ObjectWriter } from './object-writer.js';
import { WRITE_ATTEMPTS, type WriteRequest } from './write-request.js';

/** Outcome of a deletion: gone, or on its way out and still there. */
export interface Removal {
  readonly gone: boolean;
  readonly stored: Stored;
  readonly uid: string;
}

export interface RemoverOptions {
  readonly store: Store;
  readonly reader: ObjectReader;
  readonly writer: ObjectWriter;
  readonly now: () => number;
}

/** Longer periods count as this one: about a lifetime, with an end that times can be written of. */
const MAX_GRACE_SECONDS = 2 ** 31 - 1;
const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

/** Deletion in all its forms: at once, with grace, held by finalizers (spec: "Deletion of an object"). */
export class ObjectRemover {
  constructor(private readonly options: RemoverOptions) {}

  /** @throws StatusError 404; 409 when a precondition does not hold */
  async remove(endpoint: Endpoint, key: Key, options: DeleteOptions): Promise<Removal> {
    const hint = this.options.reader.hint(endpoint.type, key);
    return this.#removeFrom(endpoint, key, hint, options);
  }

  /**
   * Deletes an object that was found in a list; undefined when somebody else was faster, which is what was asked for.
   * @throws StatusError 409 when a precondition does not hold
   */
  async removeListed(endpoint: Endpoint, row: Row, options: DeleteOptions): Promise<Removal | undefined> {
    const { namespace, name } = row;
    try {
      return await this.#removeFrom(endpoint, { namespace, name }, row, options);
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return undefined;
      throw error;
    }
  }

  /** @param hint what the object was lately */
  async #removeFrom(endpoint: Endpoint, key: Key, hint: Stored | undefined, options: DeleteOptions): Promise<Removal> {
    const { reader, store } = this.options;
    let fresh = hint === undefined;
    let base: Stored | undefined = hint ?? (await reader.current(endpoint.type, key));
    for (let attempt = 1; attempt <= WRITE_ATTEMPTS; attempt++) {
      if (!base) throw notFound(endpoint.groupResource, key.name);
      const result = await this.#removeOnce(endpoint, key, base, options);
      // An answer without a write would not have failed for a stale base.
      const doubtful = !fresh && result !== 'stale' && (options.dryRun || result.stored === base);
      if (result !== 'stale' && !doubtful) return result;
      base = await store.get(endpoint.type, key);
      fresh = true;
    }
    throw conflict(endpoint.groupResource, key.name, STALE_WRITE);
  }

  async #removeOnce(endpoint: Endpoint, key: Key, base: Stored, options: DeleteOptions): Promise<Removal | 'stale'> {
    const { store } = this.options;
    const object = fromStored(base, endpoint.storageApiVersion, endpoint.storage.kind);
    const uid = object.metadata?.uid ?? '';
    const broken = brokenPrecondition(object, base, options);
    if (broken) {
      const live = await store.get(endpoint.type, key);
      if (live?.version !== base.version) return 'stale';
      throw conflict(endpoint.groupResource, key.name, broken);
    }
    const before = JSON.stringify(object.metadata);
    const stays = this.#markTerminating(endpoint, object, options);
    const request: WriteRequest = { endpoint, key, subresource: '', dryRun: options.dryRun, origin: options.origin };
    if (!stays) {
      const removed = await this.options.writer.remove(request, base, object);
      return removed === 'stale' ? 'stale' : { gone: true, stored: removed, uid };
    }
    if (JSON.stringify(object.metadata) === before) return { gone: false, stored: base, uid };
    const body = toStoredBody(object);
    if (options.dryRun) return { gone: false, stored: { version: base.version, body }, uid };
    const outcome = await store.write({
      op: 'update',
      type: endpoint.type,
      ...key,
      version: base.version,
      body,
      terminating: true,
      origin: options.origin,
    });
    if (outcome.outcome !== 'committed') return 'stale';
    return { gone: false, stored: { version: outcome.version, body }, uid };
  }

  /** Sets the marks of a deletion; true when something (grace, finalizers) keeps the object for now. */
  #markTerminating(endpoint: Endpoint, object: ApiObject, options: DeleteOptions): boolean {
    const rules = endpoint.storageRules;
    const meta = ensureMetadata(object);
    if (meta.deletionTimestamp === undefined) beginDeletion(endpoint, object, options, this.options.now());
    else if (!shortenGrace(meta, options)) return true;
    recordPropagation(meta, options.propagationPolicy ?? policyHeld(meta), rules.defaultPropagation);
    rules.prepareForDelete(object);
    return rules.hasFinalizers(object) || (meta.deletionGracePeriodSeconds ?? 0) > 0;
  }
}

function beginDeletion(endpoint: Endpoint, object: ApiObject, options: DeleteOptions, now: number): void {
  const meta = ensureMetadata(object);
  const wanted = endpoint.storageRules.gracePeriod(object, options.gracePeriodSeconds);
  const grace = Math.min(Number(wanted), MAX_GRACE_SECONDS);
  meta.deletionTimestamp = formatTime(now + grace * 1000);
  meta.deletionGracePeriodSeconds = grace;
  if (meta.generation !== undefined) meta.generation += 1;
}

/**
 * Of a deletion under way: a period can only become shorter, and only where a shorter one is asked for.
 * @returns false when the object's time is running and stays as it is; then nothing else changes either
 */
function shortenGrace(meta: ObjectMeta, { gracePeriodSeconds: asked }: DeleteOptions): boolean {
  const running = meta.deletionGracePeriodSeconds ?? 0;
  if (running <= 0) return true;
  if (asked === undefined || asked >= running) return false;
  const began = Date.parse(meta.deletionTimestamp ?? '') - running * 1000;
  meta.deletionTimestamp = formatTime(began + asked * 1000);
  meta.deletionGracePeriodSeconds = asked;
  return true;
}

function brokenPrecondition(object: ApiObject, base: Stored, options: DeleteOptions): string | undefined {
  const uid = object.metadata?.uid ?? '';
  if (options.uid !== undefined && options.uid !== uid) {
    return `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== String(base.version)) {
    return `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${base.version}). The object might have been modified`;
  }
  return undefined;
}

/** The policy that an object was left with, by an earlier deletion or by whoever made it. */
function policyHeld({ finalizers }: ObjectMeta): PropagationPolicy | undefined {
  const held = finalizers?.find((name) => name === FOREGROUND || name === ORPHAN);
  return held && (held === FOREGROUND ? 'Foreground' : 'Orphan');
}

/** The policy is kept as a finalizer, for the collector of dependents to act on; `None` has no dependents. */
function recordPropagation(
  meta: ObjectMeta,
  asked: PropagationPolicy | undefined,
  byDefault: KindRules['defaultPropagation'],
): void {
  const policy = byDefault === 'None' ? undefined : (asked ?? byDefault);
  const finalizers = (meta.finalizers ?? []).filter((name) => name !== FOREGROUND && name !== ORPHAN);
  if (policy === 'Foreground') finalizers.push(FOREGROUND);
  if (policy === 'Orphan') finalizers.push(ORPHAN);
  if (finalizers.length > 0) meta.finalizers = finalizers;
  else delete meta.finalizers;
}
