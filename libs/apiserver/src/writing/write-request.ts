import type { ApiObject } from '@orch/machinery';
import type { Key } from '@orch/storage';
import type { Endpoint, Stored } from '../endpoint.js';

/** One modifying request, without HTTP. */
export interface WriteRequest {
  readonly endpoint: Endpoint;
  readonly key: Key;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly dryRun: boolean;
  /** The client says which version it means: it need not wait for others who write the object. */
  readonly namesVersion?: boolean;
  /** Length of the body that it came with: steps of work on a large one let others have turns in between. */
  readonly bytes?: number;
  /** Who asks, for those who observe the store. */
  readonly origin?: unknown;
}

/** Makes the wanted object from the current one, both in the version that the endpoint serves. */
export type Change = (current: ApiObject) => ApiObject | Promise<ApiObject>;

export interface Updated {
  readonly stored: Stored;
  /** The update removed the last finalizer of an object on its way out. */
  readonly removed: boolean;
}

/**
 * Attempts at a write whose base was overtaken by another server, when the client itself named no version. Of those that
 * write the same object at a time one gets through, so this is also how many servers may.
 */
export const WRITE_ATTEMPTS = 256;
