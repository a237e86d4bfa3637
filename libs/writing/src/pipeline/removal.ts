import type { Allocators } from '@orch/kinds';
import type { Stored } from '@orch/resources';
import type { Draft } from '../stages/draft.js';
import { giveBack } from './allocation-outcome.js';
import type { WritePlan } from './planned-write.js';
import { asBefore, writtenBody } from './staged-versions.js';
import { deleteOp, formOf, isStoredAs, updateOp } from './write-ops.js';

/** Plans the write that removes an object: the last state of it is what watchers see. */
export async function removal(
  draft: Draft,
  base: Stored,
  { allocators }: { readonly allocators: Allocators },
): Promise<WritePlan> {
  const { request, wanted, operation } = draft;
  // An update may change the object's values and release it at once: the values to free are those from before.
  const holder = draft.before ?? wanted;
  const { storageRules: rules } = request.endpoint;
  const isMarked = operation !== 'DELETE' || draft.wasTerminating || rules.isGraceful;
  // What nothing holds back goes as it was: only what had to wait is seen with a mark.
  const form = isMarked ? formOf(draft) : asBefore(request.endpoint, base);
  const body = isMarked ? await writtenBody(request, wanted) : base.body;
  const op = deleteOp(draft, base, { body, ...form });
  const written = { version: base.version, body, ...form };
  // Controllers that stop what runs react to the mark: it is written as a change of its own, before the removal.
  const marks = operation === 'DELETE' && rules.isGraceful && !isStoredAs(base, request, body);
  return {
    endpoint: request.endpoint,
    ops: marks ? [updateOp(draft, base, body), { ...op, version: 'previous' }] : [op],
    written,
    answer: written,
    wanted,
    removed: true,
    changesClaims: true,
    async conclude(outcome) {
      if (outcome === 'kept') await giveBack(rules.release(holder, allocators));
    },
  };
}
