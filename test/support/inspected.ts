import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import type { ManagedProcess } from '../../tools/up/index.js';

/** Makes a process of Node open its inspector, on a port of its choice. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

/** Address of the inspector that a process has opened last: one that is started again has another. */
function inspectorOf({ logFile }: Pick<ManagedProcess, 'logFile'>): string {
  const found = [...readFileSync(logFile, 'utf8').matchAll(/^Debugger listening on (ws:\S+)$/gm)];
  return found.at(-1)?.[1] ?? '';
}

/** Has an inspector carry out methods in turn. Returns the result of the last one. */
async function inspected(url: string, ...methods: readonly string[]): Promise<Record<string, unknown>> {
  const inspector = new WebSocket(url);
  await once(inspector, 'open');
  let result: Record<string, unknown> = {};
  for (const [id, method] of methods.entries()) {
    inspector.send(JSON.stringify({ id, method }));
    const [message] = await once(inspector, 'message');
    result = JSON.parse(String(message)).result;
  }
  inspector.terminate();
  return result;
}

/** The second collection frees what the first finds dead, buffers above all. */
const COLLECTIONS = ['HeapProfiler.collectGarbage', 'HeapProfiler.collectGarbage'];

/** Returns a function that collects all garbage of a process that was started with {@link INSPECTED}. */
export function collectorOf(process: Pick<ManagedProcess, 'logFile'>): () => Promise<void> {
  const url = inspectorOf(process);
  return async () => {
    await inspected(url, ...COLLECTIONS);
  };
}

/** Bytes of the heap of such a process that are in use once its garbage is collected. */
export async function heapOf(process: Pick<ManagedProcess, 'logFile'>): Promise<number> {
  const { usedSize } = await inspected(inspectorOf(process), ...COLLECTIONS, 'Runtime.getHeapUsage');
  return Number(usedSize);
}
