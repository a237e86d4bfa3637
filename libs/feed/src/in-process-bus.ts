import type { TypeId } from '@orch/storage';
import type { AnnouncedChange, ChangeBus } from './feed.js';
import { groupByType } from './group-by-type.js';

interface InProcessBusOptions {
  /** Called with the time (ms) from an announcement until all listeners had it. */
  readonly onTaken?: (ms: number) => void;
}

/** A bus within one process: listeners are called with a change within the call that announces it. */
export function inProcessBus({ onTaken }: InProcessBusOptions = {}): ChangeBus {
  const listeners = new Map<TypeId, Set<(changes: readonly AnnouncedChange[]) => void>>();
  return {
    publish(changes) {
      const began = performance.now();
      for (const [type, ofType] of groupByType(changes)) {
        for (const listener of listeners.get(type) ?? []) {
          try {
            listener(ofType);
          } catch {
            // A listener that throws loses an announcement, which is allowed: it recovers from the database.
          }
        }
      }
      onTaken?.(performance.now() - began);
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
