import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import type { ManagedProcess } from '../../tools/up/index.js';

/** Makes a process of Node open its inspector, on a port of its choice. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

/** Returns a function that collects all garbage of a process that was started with {@link INSPECTED}. */
export function collectorOf({ logFile }: Pick<ManagedProcess, 'logFile'>): () => Promise<void> {
  const url = /^Debugger listening on (ws:\S+)$/m.exec(readFileSync(logFile, 'utf8'))?.[1] ?? '';
  return async () => {
    const inspector = new WebSocket(url);
    await once(inspector, 'open');
    // The second collection frees what the first finds dead, buffers above all.
    for (const id of [1, 2]) {
      inspector.send(JSON.stringify({ id, method: 'HeapProfiler.collectGarbage' }));
      await once(inspector, 'message');
    }
    inspector.terminate();
  };
}
