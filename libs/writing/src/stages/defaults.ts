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
 * An object that outgrew what there is room for may be marked, released and removed, and written by the server itself. Whoever changes it
 * otherwise would store one of which nobody knows what defaults it has.
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
