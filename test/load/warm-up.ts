import type { Endpoint } from './connection.js';
import type { RequestWorker } from './requests.js';
import { inNamespace, type Resource } from './resource.js';

const REQUESTERS = 16;

/**
 * Lets a server compile what it is about to run: the first thousands of requests say little about the rest. In a
 * namespace of its own.
 */
export async function warmUp(
  worker: RequestWorker,
  { endpoint, resource }: { readonly endpoint: Endpoint; readonly resource: Resource },
  run: string,
): Promise<void> {
  const own = await inNamespace(endpoint, resource, `${run}-warm`);
  const load = { endpoint, resource: own, prefix: `o${Date.now().toString(36)}`, requesters: REQUESTERS };
  await worker.call('run', { ...load, verb: 'create', objects: 1, seconds: 3 });
  await worker.call('run', { ...load, verb: 'update', objects: REQUESTERS, seconds: 1 });
  await worker.call('run', { ...load, verb: 'get', objects: REQUESTERS, seconds: 1 });
}
