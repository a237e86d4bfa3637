import { type ApiObject, memberOf, StatusError } from '@orch/machinery';
import { inSlices } from '@orch/runtime/work';
import { isSame, type Steps } from '@orch/schema';
import type { Draft } from './draft.js';

/** Defaults of the version that was sent, which mutating admission and owners see. */
export function defaults(draft: Draft): void | Promise<void> {
  const { request, wantedServed } = draft;
  const filling = inSlices(filled(draft));
  if (filling) return filling.then(() => request.endpoint.rules.defaults(wantedServed));
  request.endpoint.rules.defaults(wantedServed);
}

/**
 * Fills in defaults. An object that has no room for all of them may only be marked for deletion, released by
 * finalizers, removed, and written by the server itself: any other change would store an object with an unknown part of
 * its defaults.
 */
function* filled({ request: { endpoint, changeKind }, operation, wantedServed, before }: Draft): Steps<void> {
  const isWhole = yield* endpoint.model.fillDefaults(wantedServed, operation === 'CREATE');
  if (isWhole || changeKind === 'internal' || !before) return;
  yield;
  const servedBefore = endpoint.conversion?.toServed(before) ?? before;
  for (const name of new Set([...Object.keys(wantedServed), ...Object.keys(servedBefore)])) {
    if (!ABOUT.has(name) && !isSame(memberOf(wantedServed, name), memberOf(servedBefore, name)))
      throw tooManyDefaults();
    yield;
  }
}

/** Fields that identify an object. */
const ABOUT: ReadonlySet<keyof ApiObject> = new Set(['apiVersion', 'kind', 'metadata']);

const tooManyDefaults = (): StatusError =>
  new StatusError('RequestEntityTooLarge', 'Request entity too large: there is no room for all defaults of the object');
