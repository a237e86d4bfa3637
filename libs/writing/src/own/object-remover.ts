import { StatusError } from '@orch/machinery';
import type { Endpoint, Stored } from '@orch/resources';
import type { Key, Row } from '@orch/storage';
import type { Caller } from '../pipeline/caller.js';
import type { WritePipeline } from '../pipeline/write-pipeline.js';
import type { WriteRequest } from '../pipeline/write-request.js';
import { type DeletionOptions, markDeletion } from './deletion.js';

/**
 * Deletions of many under way at once: enough to fill the next group commit while one is under way; of large objects
 * few.
 */
export const REMOVALS = { items: 512, bytes: 1 << 20, sizeOf: ({ body }: Row) => body.length };

const UNANSWERED = { unanswered: true } as const;

/** Outcome of a deletion: the object is gone, or terminating. */
export interface Removal {
  /** Whether the object is gone. */
  readonly gone: boolean;
  /** Object for the response: as last stored, or with the marks of its deletion. */
  readonly stored: Stored;
  /** Uid of the object. */
  readonly uid: string;
}

interface RemoverOptions {
  readonly pipeline: WritePipeline;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Deletion in all its forms: at once, with grace, held by finalizers (spec: "Deletion of an object"). */
export class ObjectRemover {
  constructor(private readonly options: RemoverOptions) {}

  /** @throws StatusError 404; 409 when a precondition does not hold; 403 from admission */
  remove(endpoint: Endpoint, key: Key, options: DeletionOptions, caller: Caller): Promise<Removal> {
    return this.#remove({ operation: 'DELETE', endpoint, key, subresource: '', caller, options });
  }

  async #remove(request: WriteRequest & { readonly options: DeletionOptions }): Promise<Removal> {
    const { pipeline, now } = this.options;
    const { endpoint, options } = request;
    let uid = '';
    const { stored, removed } = await pipeline.write(request, {
      change(current) {
        uid = current.metadata?.uid ?? '';
        return markDeletion(endpoint, current, options, now());
      },
    });
    return { gone: removed, stored, uid };
  }

  /**
   * Deletes an object that was found in a list; undefined when it has been deleted meanwhile.
   * @throws StatusError 409 when a precondition does not hold; 403 from admission
   */
  async removeListed(
    endpoint: Endpoint,
    row: Row,
    options: DeletionOptions,
    caller: Caller,
  ): Promise<Removal | undefined> {
    const { namespace, name } = row;
    try {
      return await this.#remove({
        operation: 'DELETE',
        endpoint,
        key: { namespace, name },
        subresource: '',
        caller,
        options,
        // A row that was converted for a list is not as it is stored.
        hints: endpoint.stage ? UNANSWERED : { unanswered: true, found: row },
      });
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return undefined;
      throw error;
    }
  }
}
