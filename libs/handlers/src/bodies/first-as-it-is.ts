import type { ApiObject } from '@orch/machinery';

/**
 * Returns an object itself the first time, and decodes it again each further time: a body that is written at the first
 * attempt, as nearly all are, is never copied.
 */
export function firstAsItIs(object: ApiObject, again: () => Promise<ApiObject>): () => ApiObject | Promise<ApiObject> {
  let own: ApiObject | undefined = object;
  return () => {
    const given = own ?? again();
    own = undefined;
    return given;
  };
}
