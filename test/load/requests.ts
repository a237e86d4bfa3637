import type { RequestLoad } from './request-load.js';
import type { RequestMethods } from './requests.worker.js';
import type { Target } from './target.js';
import { Worker } from './worker.js';

/** Requesters in a process of their own. */
export type RequestWorker = Worker<RequestMethods>;

export const requestWorker = (): RequestWorker =>
  new Worker<RequestMethods>(new URL('./requests.worker.ts', import.meta.url));

const FILL_SECONDS = 900;

/** Runs something with requesters, and ends them. */
export async function withRequests<T>(run: (worker: RequestWorker) => Promise<T>): Promise<T> {
  const worker = requestWorker();
  try {
    return await run(worker);
  } finally {
    worker.stop();
  }
}

/** Creates `count` objects named `PREFIX-0` and so on, `o` when no prefix is given; `filling` as of `objectBody`. */
export async function fill(
  worker: RequestWorker,
  { endpoint, resource }: Pick<Target, 'endpoint' | 'resource'>,
  count: number,
  more: Partial<Pick<RequestLoad, 'prefix' | 'filling'>> = {},
): Promise<void> {
  const load: RequestLoad = {
    endpoint,
    resource,
    verb: 'create',
    prefix: 'o',
    objects: 1,
    requesters: 32,
    seconds: FILL_SECONDS,
    count,
    ...more,
  };
  const { done, failed } = await worker.call('run', load);
  if (done < count || failed > 0) throw new Error(`made ${done} of ${count} objects, ${failed} requests failed`);
}
