import type { OwnerReference } from '@orch/machinery';
import type { Draft } from './draft.js';

/** The text that clients know. */
const referenceError = (uids: readonly string[], admitted: boolean): string =>
  `.metadata.ownerReferences contains duplicate entries${admitted ? ' after mutating admission happens' : ''}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids.join(', ')}`;

/** Leaves one of references that are equal in every field, and warns of the others; before plugins and behind them. */
export function uniteOwnerReferences({ wantedServed, admitted, request: { caller } }: Draft): void {
  const references = wantedServed.metadata?.ownerReferences;
  if (!references || references.length < 2) return;
  const known = new Set<string>();
  const repeated: string[] = [];
  const kept = references.filter((reference) => {
    const text = textOf(reference);
    if (known.has(text)) repeated.push(reference.uid);
    return !known.has(text) && known.add(text);
  });
  if (repeated.length === 0 || !wantedServed.metadata) return;
  wantedServed.metadata.ownerReferences = kept;
  const warning = referenceError(repeated, admitted);
  // A write that was overtaken is tried again.
  if (!caller.warnings.includes(warning)) caller.warnings.push(warning);
}

const textOf = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string =>
  JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion]);
