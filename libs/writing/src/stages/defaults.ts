import { type ApiObject, memberOf, StatusError } from '@orch/machinery';
import { inSlices } from '@orch/runtime/work';
import { isSame, type Steps } from '@orch/schema';
import type { Draft } from './draft.js';

/** Defaults of the version that was sent, which mutating admission and owners see. */
export function defaults(draft: Draft): void | Promise<void> {
  const { request, served } = draft;
  const filling = inSlices(filled(draft));
  if (filling) return filling.then(() => request.endpoint.rules.defaults(served));
  request.endpoint.rules.defaults(served);
}

/**
 * An object that outgrew what there is room for may be marked, released and removed, and written by the server itself. Whoever changes it
 * otherwise would store one of which nobody knows what defaults it has.
 */
function* filled({ request: { endpoint, ownChange }, operation, served, old }: Draft): Steps<void> {
  const isWhole = yield* endpoint.model.fillDefaults(served, operation === 'CREATE');
  if (isWhole || ownChange || !old) return;
  yield;
  const before = endpoint.conversion?.toServed(old) ?? old;
  for (const name of new Set([...Object.keys(served), ...Object.keys(before)])) {
    if (!ABOUT.has(name) && !isSame(memberOf(served, name), memberOf(before, name))) throw tooManyDefaults();
    yield;
  }
}

/** Fields that identify an object. */
const ABOUT: ReadonlySet<keyof ApiObject> = new Set(['apiVersion', 'kind', 'metadata']);

const tooManyDefaults = (): StatusError =>
  new StatusError('RequestEntityTooLarge', 'Request entity too large: there is no room for all defaults of the object');
