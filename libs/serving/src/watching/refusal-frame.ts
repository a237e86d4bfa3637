import type { StatusError } from '@orch/machinery';
import type { Representations } from '@orch/resources';
import type { RequestContext } from '../http/context.js';
import { BARE, MESSAGES } from './frames.js';

/**
 * Encodes the event that ends a stream served by another process, in the encoding and framing that its client asked
 * for. Keeps no reference to the request.
 * @throws StatusError 406
 */
export function refusalFrames(
  { req, query, route, upgrade }: RequestContext,
  representations: Representations,
): ((refusal: StatusError) => Buffer) | undefined {
  if (route === undefined) return undefined;
  const representation = representations.choose(route.endpoint, req.headers.accept, query);
  const framing = upgrade ? MESSAGES : BARE;
  return ({ status }) => framing.frame(representation.errorEvent(status), representation);
}
