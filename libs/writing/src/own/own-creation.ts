import { type ApiObject, copy, StatusError } from '@orch/machinery';
import type { ObjectReader } from '@orch/reading';
import { type Endpoint, servedObject } from '@orch/resources';
import { type Caller, serverItself } from '../pipeline/caller.js';
import type { WritePipeline } from '../pipeline/write-pipeline.js';

/** Dependencies of the creation of objects by the server itself. */
export interface OwnCreations {
  /** Looks up whether the object exists. */
  readonly reader: ObjectReader;
  /** Creates the object. */
  readonly pipeline: WritePipeline;
}

/**
 * Creates an object as the server itself, through the pipeline of all writes, unless one of its name exists.
 * @param endpoint in the storage version
 * @param caller in whose name it is created; default the server itself
 * @returns the object that exists then, whoever created it
 * @throws StatusError, StoreUnavailableError
 */
export async function ensureOwn(
  { reader, pipeline }: OwnCreations,
  endpoint: Endpoint,
  object: ApiObject,
  caller: Caller = serverItself(),
): Promise<ApiObject> {
  const key = { namespace: object.metadata?.namespace ?? '', name: object.metadata?.name ?? '' };
  const found = await reader.current(endpoint.type, key);
  if (found) return servedObject(endpoint, found);
  const request = { operation: 'CREATE', endpoint, key, subresource: '', caller } as const;
  try {
    const written = await pipeline.write({ ...request, options: { dryRun: false } }, { create: () => copy(object) });
    return servedObject(endpoint, written.stored);
  } catch (error) {
    // Another server may have made it meanwhile.
    if (!(error instanceof StatusError) || error.status.reason !== 'AlreadyExists') throw error;
    const other = await reader.current(endpoint.type, key);
    if (!other) throw error;
    return servedObject(endpoint, other);
  }
}
