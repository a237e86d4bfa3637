import type { Allocators } from '@orch/kinds';
import {
  type ApiObject,
  ensureMetadata,
  invalid,
  invalidValue,
  Shown,
  type StatusError,
  validateObjectMetaUpdate,
} from '@orch/machinery';
import { alignZeros } from '@orch/schema';
import type { DeleteOp, UpdateOp } from '@orch/storage';
import { turnFor } from '../decoding/turns.js';
import type { Endpoint, Stored } from '../endpoint.js';
import { fromStored, toStoredBody } from '../representation/stored-body.js';
import { conclude, type Fate, given } from './allocation-fate.js';
import {
  checkPlace,
  invalidObject,
  isGone,
  namedVersion,
  type ObjectLimits,
  sizeError,
  validateMeta,
} from './object-checks.js';
import { sameBody } from './same-body.js';
import { toStorage } from './to-storage.js';
import type { Change, WriteRequest } from './write-request.js';

/** What an update comes to. */
export interface UpdatePlan {
  /** To be written; nothing when nothing changes, or it is a dry run. */
  readonly op: UpdateOp | DeleteOp | undefined;
  /** What is answered; its version is that of the base. */
  readonly stored: Stored;
  /** The object is gone after it. */
  readonly removed: boolean;
  /** It takes or gives up addresses or ports: what is planned upon it before its fate is known could not be undone. */
  readonly changesClaims: boolean;
  /** To be called once the fate of the write is known. */
  conclude(fate: Fate): Promise<void>;
}

export interface PlanOptions {
  /** Addresses and ports that objects may be given. */
  readonly allocators: Allocators;
  readonly limits: ObjectLimits;
}

/** The version of a base that is itself still to be written. */
export const UNWRITTEN = 0n;

/**
 * Makes of a base what is to be written; writes nothing.
 * @param base as read, or with the version {@link UNWRITTEN} the result of another plan
 * @throws StatusError 400, 409, 413, 422 and what the change throws
 */
export async function planUpdate(
  request: WriteRequest,
  base: Stored,
  change: Change,
  { allocators, limits }: PlanOptions,
): Promise<UpdatePlan | 'named-other-version'> {
  const { endpoint } = request;
  const bytes = base.body.length + (request.bytes ?? 0);
  const old = fromStored(base, endpoint.storageApiVersion, endpoint.storage.kind);
  await turnFor(bytes);
  const current = servedCopy(endpoint, old);
  await turnFor(bytes);
  const served = await change(current);
  await turnFor(bytes);
  const named = namedVersion(served);
  if (named !== '' && (base.version === UNWRITTEN || named !== String(base.version))) return 'named-other-version';
  const object = prepareUpdate(request, served, old, named);
  await turnFor(bytes);
  validateUpdate(endpoint, object, old);
  await turnFor(bytes);
  if (isGone(object, endpoint)) return planRemoval(request, base, object, allocators);
  const allocation = await endpoint.storageRules.allocate(object, old, allocators);
  const body = toStoredBody(object);
  const tooMuch = sizeError(body, limits, base.body.length);
  if (tooMuch) {
    await conclude(allocation, 'dropped');
    throw tooMuch;
  }
  await turnFor(bytes);
  const terminating = object.metadata?.deletionTimestamp !== undefined;
  if (sameBody(base.body, body) || request.dryRun) {
    await conclude(allocation, 'dropped');
    const stored = sameBody(base.body, body) ? base : { version: base.version, body };
    return { op: undefined, stored, removed: false, changesClaims: false, conclude: async () => undefined };
  }
  return {
    op: { op: 'update', ...target(request, base), body, terminating },
    stored: { version: base.version, body },
    removed: false,
    changesClaims: allocation.changes,
    conclude: (fate) => conclude(allocation, fate),
  };
}

/** Writing the last state of an object out of existence. */
export function planRemoval(request: WriteRequest, base: Stored, last: ApiObject, allocators: Allocators): UpdatePlan {
  const body = toStoredBody(last);
  return {
    op: request.dryRun ? undefined : { op: 'delete', ...target(request, base), body },
    stored: { version: base.version, body },
    removed: true,
    changesClaims: true,
    async conclude(fate) {
      if (fate === 'kept') await given(request.endpoint.storageRules.release(last, allocators));
    },
  };
}

const target = ({ endpoint, key, origin }: WriteRequest, base: Stored) => ({
  type: endpoint.type,
  ...key,
  version: base.version === UNWRITTEN ? ('previous' as const) : base.version,
  origin,
});

/** The live object in the version that the endpoint serves, for a change to work on. */
const servedCopy = ({ conversion }: Endpoint, old: ApiObject): ApiObject =>
  conversion ? conversion.toServed(old) : structuredClone(old);

function prepareUpdate(request: WriteRequest, served: ApiObject, old: ApiObject, named: string): ApiObject {
  const { endpoint, key, subresource } = request;
  const { storageRules: rules } = endpoint;
  checkPlace(endpoint, key, ensureMetadata(served));
  if (!rules.unconditionalUpdate && named === '') throw versionMissing(endpoint, key.name);
  keepSystemFields(served, old);
  const object = toStorage(endpoint, served);
  alignZeros(endpoint.storage.schema, object, old);
  rules.prepareForUpdate(object, old, { subresource });
  return object;
}

/** @throws StatusError 422 */
function validateUpdate(endpoint: Endpoint, object: ApiObject, old: ApiObject): void {
  const errors = [
    ...validateMeta(endpoint, object),
    ...validateObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}),
    ...endpoint.storageRules.validateUpdate(object, old),
  ];
  if (errors.length > 0) throw invalidObject(endpoint, object, errors);
}

/** In the words that clients know, with the resource in the place of the kind. */
function versionMissing({ groupResource: { group, resource } }: Endpoint, name: string): StatusError {
  const error = invalidValue('metadata.resourceVersion', new Shown('0x0'), 'must be specified for an update');
  return invalid(resource, group, name, [error]);
}

/** What clients may leave out or may not set comes from the live object. */
function keepSystemFields(served: ApiObject, old: ApiObject): void {
  const meta = ensureMetadata(served);
  const live = old.metadata ?? {};
  if (live.namespace !== undefined) meta.namespace = live.namespace;
  else delete meta.namespace;
  if (!meta.uid && live.uid !== undefined) meta.uid = live.uid;
  meta.creationTimestamp = live.creationTimestamp ?? null;
  if (live.generation !== undefined) meta.generation = live.generation;
  else delete meta.generation;
  if (live.deletionTimestamp !== undefined) meta.deletionTimestamp = live.deletionTimestamp;
  if (meta.deletionGracePeriodSeconds === undefined && live.deletionGracePeriodSeconds !== undefined) {
    meta.deletionGracePeriodSeconds = live.deletionGracePeriodSeconds;
  }
  delete meta.selfLink;
  delete meta.managedFields;
}
