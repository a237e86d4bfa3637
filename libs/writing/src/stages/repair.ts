import { randomUUID } from 'node:crypto';
import { ensureMetadata, formatTime, generateName } from '@orch/machinery';
import { inSlices } from '@orch/runtime/work';
import { atOnce } from '@orch/schema';
import { defaults } from './defaults.js';
import type { Draft, StageTools } from './draft.js';
import { checkOwners } from './ownership.js';
import { systemFields } from './system-fields.js';

/**
 * Makes the object to be stored from the sent and admitted one: restores fields that plugins may not change, sets name,
 * uid and time of a new object, converts to the storage version, and separates what the kind separates (spec from
 * status, what the subresource may change from the rest, the generation).
 */
export function repair(draft: Draft, { now }: StageTools): void | Promise<void> {
  if (draft.admitted) {
    systemFields(draft);
    checkOwners(draft);
  }
  const named = draft.before === undefined && beginLife(draft, now());
  // Defaults may follow from what plugins have set, and from the name.
  const filling = draft.admitted || named ? defaults(draft) : undefined;
  if (filling) return filling.then(() => makeStored(draft, now));
  return makeStored(draft, now);
}

function makeStored(draft: Draft, now: StageTools['now']): void | Promise<void> {
  const { request, before } = draft;
  draft.wanted = toStorage(draft);
  const { storageRules: rules, storageModel } = request.endpoint;
  const context = { subresource: request.subresource, user: request.caller.user, now: now() };
  if (before) {
    storageModel.alignZeros(draft.wanted, before);
    rules.prepareForUpdate(draft.wanted, before, context);
  } else rules.prepareForCreate(draft.wanted, context);
  return inSlices(storageModel.fillStatus(draft.wanted));
}

/** @returns whether the object has been given a generated name */
function beginLife({ wantedServed }: Draft, now: number): boolean {
  const meta = ensureMetadata(wantedServed);
  const named = !meta.name && !!meta.generateName;
  if (named) meta.name = generateName(meta.generateName ?? '');
  meta.uid = randomUUID();
  meta.creationTimestamp = formatTime(now);
  return named;
}

/**
 * Converts to the storage version. Defaults have been applied in the sent version, and are applied again where the
 * storage version is another.
 */
function toStorage({ request: { endpoint }, wantedServed }: Draft) {
  if (!endpoint.conversion) return wantedServed;
  const wanted = endpoint.conversion.toStorage(wantedServed);
  atOnce(endpoint.storageModel.fillDefaults(wanted));
  endpoint.storageRules.defaults(wanted);
  return wanted;
}
