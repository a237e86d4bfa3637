import type { AnnouncedChange, ChangeBus } from '@orch/feed';
import { isSealed, type SealedStore } from '@orch/storage';

const NO_BODY = Buffer.alloc(0);

/**
 * A bus on which bodies that are encrypted in the database travel encrypted. A body that cannot be decrypted at once is
 * omitted: subscribers read it from the database, which reports the cause.
 * @param leaves whether announcements leave the process
 */
export function sealedBus(bus: ChangeBus, store: Pick<SealedStore, 'openNow'>, leaves: boolean): ChangeBus {
  const opened = (change: AnnouncedChange): AnnouncedChange => {
    if (change.bodyOmitted) return change;
    const body = store.openNow(change);
    if (body === change.body) return change;
    return body ? { ...change, body } : { ...change, body: NO_BODY, bodyOmitted: true };
  };
  // All subscribers receive the same array: its bodies are decrypted once.
  const known = new WeakMap<readonly AnnouncedChange[], readonly AnnouncedChange[]>();
  const all = (changes: readonly AnnouncedChange[]): readonly AnnouncedChange[] => {
    const made = known.get(changes) ?? changes.map(opened);
    known.set(changes, made);
    return made;
  };
  const outgoing = leaves ? sealedAgain : openedHere;
  return {
    publish: (changes) => bus.publish(changes.some(({ sealed }) => sealed) ? changes.map(outgoing) : changes),
    subscribe: (type, listener) => bus.subscribe(type, leaves ? (changes) => listener(all(changes)) : listener),
    onConnected: (listener) => bus.onConnected(listener),
    healthy: () => bus.healthy(),
    close: () => bus.close(),
  };
}

function sealedAgain({ sealed, ...change }: AnnouncedChange): AnnouncedChange {
  return sealed ? { ...change, body: sealed } : change;
}

function openedHere({ sealed, ...change }: AnnouncedChange): AnnouncedChange {
  return sealed && isSealed(change.body) ? { ...change, body: NO_BODY, bodyOmitted: true } : change;
}
