import type { RequestContext } from '../http/context.js';
import { sendBytes } from '../http/respond.js';
import type { Stored } from '../served/endpoint.js';
import { prettyIfAsked } from './pretty.js';
import type { Representation } from './representation.js';

/** Answers a write with the object as it is now stored. */
export function sendObject(
  ctx: RequestContext,
  code: number,
  representation: Representation,
  stored: Stored,
): Promise<void> {
  const body = prettyIfAsked(ctx, representation.contentType, representation.object(stored));
  return sendBytes(ctx, code, representation.contentType, body);
}
