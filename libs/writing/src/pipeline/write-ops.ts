import type { Stored } from '@orch/resources';
import type { CreateOp, DeleteOp, UpdateOp } from '@orch/storage';
import type { Draft } from '../stages/draft.js';
import { sameBody } from './same-body.js';
import { asBefore, marksAsItLies } from './staged-versions.js';
import { UNWRITTEN, type WriteRequest } from './write-request.js';

/** The form of a stored body: its version, and the defaults that it includes. */
type StoredForm = Pick<Stored, 'storedVersion' | 'defaults'>;

/** Makes the operation that creates the object of a draft. */
export function createOp(draft: Draft, body: Buffer): CreateOp {
  const { endpoint, key, caller } = draft.request;
  const { metadata } = draft.wanted;
  return {
    op: 'create',
    type: endpoint.type,
    namespace: key.namespace,
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    body,
    ...formOf(draft),
    requireNamespace: endpoint.definition.namespaced,
    origin: caller.origin,
  };
}

/** Makes the operation that replaces the stored body. */
export function updateOp(draft: Draft, base: Stored, body: Buffer): UpdateOp {
  const terminating = draft.wanted.metadata?.deletionTimestamp !== undefined;
  return { op: 'update', ...target(draft, base), ...formOf(draft), body, terminating };
}

/** Makes the operation that removes the object, charged as the draft is. @param last what watchers see of it */
export const deleteOp = (draft: Draft, base: Stored, last: StoredForm & Pick<Stored, 'body'>): DeleteOp => ({
  op: 'delete',
  ...target(draft, base),
  ...last,
  charging: draft.charging,
});

const target = (draft: Draft, base: Stored) => ({
  type: draft.request.endpoint.type,
  ...draft.request.key,
  version: base.version === UNWRITTEN ? ('previous' as const) : base.version,
  origin: draft.request.caller.origin,
});

/**
 * Returns the form of a write's body. A body whose defaults are those of another version gets the defaults again when
 * it is read.
 */
export function formOf({ request, operation, stored }: Draft): StoredForm {
  const { form, definition, storage } = request.endpoint;
  const marked = operation === 'DELETE' && stored !== undefined;
  if (marked && marksAsItLies(request)) return asBefore(request.endpoint, stored);
  // A marked object was read as the hub version, which may lack fields for defaults of other versions.
  const isFilled = marked
    ? form.versionOf(stored) === form.version && form.writesHub
    : definition.version === form.version && definition.group === storage.group;
  return { storedVersion: form.version, defaults: isFilled ? form.defaults : 0 };
}

/**
 * Whether the stored body is the same already. An object stored in another version is rewritten, though its content is
 * equal.
 */
export const isStoredAs = (base: Stored, request: WriteRequest, body: Buffer): boolean =>
  liesAsWritten(base, request) && sameBody(base.body, body);

const liesAsWritten = (base: Stored, request: WriteRequest): boolean =>
  marksAsItLies(request) || request.endpoint.form.versionOf(base) === request.endpoint.form.version;
