import type { Change, TypeId } from '@orch/storage';
import type { ChangeBus } from './feed.js';
import { groupByType } from './group-by-type.js';

/** A bus within one process: listeners hear of a change in the call that announces it. */
export function inProcessBus(): ChangeBus {
  const listeners = new Map<TypeId, Set<(changes: readonly Change[]) => void>>();
  return {
    publish(changes) {
      for (const [type, ofType] of groupByType(changes)) {
        for (const listener of listeners.get(type) ?? []) {
          try {
            listener(ofType);
          } catch {
            // A listener that fails loses an announcement, which it may: it heals from the database.
          }
        }
      }
    },
    subscribe(type, listener) {
      const ofType = listeners.get(type) ?? new Set();
      listeners.set(type, ofType);
      ofType.add(listener);
      return () => {
        ofType.delete(listener);
        if (ofType.size === 0 && listeners.get(type) === ofType) listeners.delete(type);
      };
    },
    onConnected: () => () => {},
    healthy: () => true,
    async close() {
      listeners.clear();
    },
  };
}
