import type { OperationOptions } from '@orch/admission';
import type { RecordedAction } from '@orch/audit';
import { type ApiObject, copy, type JsonObject, notFound } from '@orch/machinery';
import { strategicMergePatch } from '@orch/merge';
import { type Endpoint, servedObject } from '@orch/resources';
import type { Key, ReadingStore } from '@orch/storage';
import type { DeletionOptions } from '../own/deletion.js';
import type { Collection } from '../own/each-stored.js';
import { emptyCollection } from '../own/empty-collection.js';
import { readMade } from '../own/made-object.js';
import type { ObjectRemover, Removal } from '../own/object-remover.js';
import { removalAnswer } from '../own/removal-answer.js';
import type { WritePipeline } from '../pipeline/write-pipeline.js';
import type { UpdateFunction, WriteRequest, Written } from '../pipeline/write-request.js';
import { requireUid } from '../stages/object-checks.js';
import { type LocalIdentity, LocalRequests, type RequestHost } from './local-requests.js';
import type { WriteTarget } from './request-attributes.js';

/** Dependencies of a {@link LocalClient}. */
export interface LocalHost extends RequestHost {
  /** The way of every write. */
  readonly pipeline: WritePipeline;
  /** Deletes objects. */
  readonly remover: ObjectRemover;
  /** Reads objects, and the collections that are deleted. */
  readonly store: Pick<ReadingStore, 'snapshot' | 'get'>;
}

/** How an update is made, beside its change; see {@link WriteRequest}. */
export type UpdateSettings = Partial<Pick<WriteRequest, 'changeKind' | 'hints' | 'options'>>;

const [OK, CREATED] = [200, 201];
const PLAIN: OperationOptions = { dryRun: false };
const REPLACES = { changeKind: 'replace', hints: { namesVersion: true } } as const;

/**
 * Reads and writes of a component that runs within the server: by {@link LocalRequests}, admission, quota and the
 * pipeline, as if they had come over HTTP.
 */
export class LocalClient {
  readonly #requests: LocalRequests;

  constructor(
    private readonly host: LocalHost,
    identity: LocalIdentity,
  ) {
    this.#requests = new LocalRequests(host, identity);
  }

  /** Reads an object, in the endpoint's version. @throws StatusError 403, 404; StoreUnavailableError */
  get(endpoint: Endpoint, key: Key): Promise<ApiObject> {
    return this.#requests.make('get', { endpoint, key }, OK, async (_caller, recorded) => {
      const stored = await this.host.store.get(endpoint.type, key);
      if (!stored) throw notFound(endpoint.groupResource, key.name);
      const object = servedObject(endpoint, stored);
      recorded?.answered(object);
      return object;
    });
  }

  /**
   * Makes a new object, in the endpoint's version.
   * @throws StatusError 403, 409 where there is one of its name; StoreUnavailableError
   */
  create(endpoint: Endpoint, object: ApiObject): Promise<Written> {
    const target = targetOf(endpoint, object);
    return this.#requests.make('create', target, CREATED, async (caller, recorded) => {
      recorded?.sent(object);
      const request = { ...target, operation: 'CREATE', subresource: '', caller, options: PLAIN } as const;
      const written = await this.host.pipeline.write(request, { create: () => copy(object) });
      return answered(written, endpoint, recorded);
    });
  }

  /** Changes an existing object. @throws StatusError 403, 404, 409; StoreUnavailableError */
  update(target: WriteTarget, change: UpdateFunction, settings: UpdateSettings = {}): Promise<Written> {
    const { endpoint } = target;
    const verb = settings.changeKind === 'apply' ? 'patch' : 'update';
    return this.#requests.make(verb, target, OK, async (caller, recorded) => {
      const noted: UpdateFunction = async (...given) => {
        const wanted = await change(...given);
        recorded?.sent(wanted);
        return wanted;
      };
      const written = await this.host.pipeline.write({ ...updateOf(target, caller), ...settings }, { change: noted });
      return answered(written, endpoint, recorded);
    });
  }

  /**
   * Replaces the version of an object that the given one names.
   * @throws StatusError 403, 404; 409 where it has changed; StoreUnavailableError
   */
  replace(endpoint: Endpoint, object: ApiObject): Promise<Written> {
    const change = (current: ApiObject) => {
      requireUid(endpoint, object, current);
      return copy(object);
    };
    return this.update(targetOf(endpoint, object), change, REPLACES);
  }

  /**
   * Merges a strategic patch into an existing object of a built-in kind.
   * @throws StatusError 403, 404, 409, 422; StoreUnavailableError
   */
  patch(target: WriteTarget, patch: JsonObject): Promise<Written> {
    const { endpoint } = target;
    return this.#requests.make('patch', target, OK, async (caller, recorded) => {
      recorded?.patched(patch);
      const change = (current: ApiObject) => patched(endpoint, current, patch);
      const written = await this.host.pipeline.write(updateOf(target, caller), { change });
      return answered(written, endpoint, recorded);
    });
  }

  /** Deletes an object. @throws StatusError 403, 404; 409 where a precondition does not hold; StoreUnavailableError */
  delete(endpoint: Endpoint, key: Key, options: DeletionOptions): Promise<Removal> {
    return this.#requests.make('delete', { endpoint, key }, OK, async (caller, recorded) => {
      recorded?.patched(sentOptions(options));
      const removal = await this.host.remover.remove(endpoint, key, options, caller);
      if (recorded?.wantsAnswer) {
        const answer = removalAnswer(endpoint, key.name, removal);
        recorded.answered('stored' in answer ? servedObject(endpoint, answer.stored) : answer.status);
      }
      return removal;
    });
  }

  /**
   * Deletes all objects of a collection.
   * @param stopped polled; once it returns true no further object is deleted
   * @param onKept called with each object that finalizers or a grace period keep
   * @throws StatusError 403, and errors of admission; StoreUnavailableError
   */
  deleteCollection(collection: Collection, stopped: () => boolean, onKept: (removal: Removal) => void): Promise<void> {
    const { endpoint, namespace = '' } = collection;
    const target = { endpoint, key: { namespace, name: '' } };
    return this.#requests.make('deletecollection', target, OK, async (caller) => {
      const patient = { ...caller, deadline: Number.POSITIVE_INFINITY };
      await emptyCollection(this.host, collection, stopped, onKept, patient);
    });
  }
}

/** Returns options of a deletion as they are sent over HTTP, for the audit log. */
function sentOptions({ gracePeriodSeconds, propagationPolicy, uid, resourceVersion }: DeletionOptions): JsonObject {
  const preconditions = {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return {
    ...{ kind: 'DeleteOptions', apiVersion: 'v1' },
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(Object.keys(preconditions).length > 0 && { preconditions }),
    ...(propagationPolicy && { propagationPolicy }),
  };
}

function targetOf(endpoint: Endpoint, { metadata }: ApiObject): WriteTarget {
  const { namespace = '', name = '' } = metadata ?? {};
  return { endpoint, key: { namespace, name } };
}

const updateOf = ({ endpoint, key, subresource = '' }: WriteTarget, caller: WriteRequest['caller']): WriteRequest => ({
  ...{ operation: 'UPDATE', endpoint, key, subresource, caller, options: PLAIN },
});

async function patched({ model }: Endpoint, current: ApiObject, patch: JsonObject): Promise<ApiObject> {
  if (!model.struct) throw new TypeError(`objects of the kind ${model.kind} have no strategic patches`);
  const { object } = await readMade(model, strategicMergePatch(model.struct, current as JsonObject, patch));
  return object;
}

function answered(written: Written, endpoint: Endpoint, recorded: RecordedAction | undefined): Written {
  if (recorded?.wantsAnswer) recorded.answered(servedObject(endpoint, written.stored));
  return written;
}
