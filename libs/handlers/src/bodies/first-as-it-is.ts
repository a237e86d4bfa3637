import type { ApiObject } from '@orch/machinery';

/**
 * Gives an object away the first time, and after that makes it anew each time: a body that is written at the first try,
 * as nearly all are, is never copied.
 */
export function firstAsItIs(object: ApiObject, again: () => Promise<ApiObject>): () => ApiObject | Promise<ApiObject> {
  let own: ApiObject | undefined = object;
  return () => {
    const given = own ?? again();
    own = undefined;
    return given;
  };
}
