import { StatusError } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { type OwnRun, serverIn, serverItself } from '../pipeline/caller.js';
import type { WritePipeline } from '../pipeline/write-pipeline.js';
import type { UpdateFunction } from '../pipeline/write-request.js';

/** Dependencies of updates by the server itself. */
export interface UpdateTarget {
  /** Updates the object. */
  readonly pipeline: WritePipeline;
  /** Endpoint in the storage version. */
  readonly endpoint: Endpoint;
  /** Run of a controller that the update belongs to; absent for what any process may write. */
  readonly run?: OwnRun;
}

/**
 * Updates a cluster-scoped object as the server itself, through the pipeline of all writes. An object that is gone, or
 * another of its name, is left alone.
 * @throws StatusError, StoreUnavailableError
 */
export async function updateOwn(
  { pipeline, endpoint, run }: UpdateTarget,
  { name, uid }: { readonly name: string; readonly uid: string },
  subresource: string,
  change: UpdateFunction,
): Promise<void> {
  const request = {
    operation: 'UPDATE',
    endpoint,
    key: { namespace: '', name },
    subresource,
    caller: run ? serverIn(run) : serverItself(),
    options: { dryRun: false },
    changeKind: 'internal',
  } as const;
  const own: UpdateFunction = (current, turn, stored) =>
    current.metadata?.uid === uid ? change(current, turn, stored) : current;
  await pipeline.write(request, { change: own }).catch(ignoreMissing);
}

/** Ignores that an object to be written or removed does not exist. @throws any other error */
export function ignoreMissing(error: unknown): void {
  if (error instanceof StatusError && error.code === 404) return;
  throw error;
}
