import type { KindRules } from '@orch/kinds';
import { type ApiObject, conflict, ensureMetadata, formatTime, type ObjectMeta } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';

/** Policy for the dependents of a deleted object, as the API names it. */
export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground';

/** Options of a deletion. */
export interface DeletionOptions {
  /** Whether everything is checked and nothing is deleted. */
  readonly dryRun: boolean;
  /** Grace period, seconds; undefined leaves it to the kind. */
  readonly gracePeriodSeconds?: number;
  /** Policy for dependents; undefined leaves it to the kind. */
  readonly propagationPolicy?: PropagationPolicy;
  /** Precondition: the object must have this UID. Default: any. */
  readonly uid?: string;
  /** Precondition: the object must be at this version. Default: any. */
  readonly resourceVersion?: string;
}

/** Longer periods count as this one: about a lifetime, with an end that times can be written of. */
const MAX_GRACE_SECONDS = 2 ** 31 - 1;
const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

/**
 * Sets the marks of a deletion: its time, its grace period, and the propagation to dependents. Whether the object goes
 * at once or waits follows from them (`isGone`). Mutates.
 * @param now milliseconds since 1970
 * @throws StatusError 409 when a precondition does not hold
 */
export function markDeletion(endpoint: Endpoint, object: ApiObject, options: DeletionOptions, now: number): ApiObject {
  checkPreconditions(endpoint, object, options);
  const rules = endpoint.storageRules;
  const meta = ensureMetadata(object);
  const begins = meta.deletionTimestamp === undefined;
  if (begins) begin(endpoint, object, options, now);
  else if (!shortenGrace(meta, options)) return object;
  recordPropagation(meta, options.propagationPolicy ?? policyHeld(meta), rules.defaultPropagation);
  rules.prepareForDelete(object, begins);
  return object;
}

function checkPreconditions({ groupResource }: Endpoint, { metadata }: ApiObject, options: DeletionOptions): void {
  const { uid = '', resourceVersion = '', name = '' } = metadata ?? {};
  if (options.uid !== undefined && options.uid !== uid) {
    const broken = `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(groupResource, name, broken);
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    const broken = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(groupResource, name, broken);
  }
}

function begin(endpoint: Endpoint, object: ApiObject, options: DeletionOptions, now: number): void {
  const meta = ensureMetadata(object);
  const wanted = endpoint.storageRules.gracePeriod(object, options.gracePeriodSeconds);
  const grace = Math.min(Number(wanted), MAX_GRACE_SECONDS);
  meta.deletionTimestamp = formatTime(now + grace * 1000);
  meta.deletionGracePeriodSeconds = grace;
  if (meta.generation !== undefined) meta.generation += 1;
}

/**
 * Shortens the grace period of a deletion in progress, where a shorter one is requested; a period never becomes longer.
 * @returns false when the object's period is running and stays as it is; then nothing else changes either
 */
function shortenGrace(meta: ObjectMeta, { gracePeriodSeconds: asked }: DeletionOptions): boolean {
  const running = meta.deletionGracePeriodSeconds ?? 0;
  if (running <= 0) return true;
  if (asked === undefined || asked >= running) return false;
  const began = Date.parse(meta.deletionTimestamp ?? '') - running * 1000;
  meta.deletionTimestamp = formatTime(began + asked * 1000);
  meta.deletionGracePeriodSeconds = asked;
  return true;
}

/** Returns the policy that an object's finalizers hold, from an earlier deletion or its author. */
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
