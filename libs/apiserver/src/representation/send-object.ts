import type { RequestContext } from '../http/context.js';
import { sendBytes } from '../http/respond.js';
import type { Stored } from '../served/endpoint.js';
import { prettyIfAsked } from './pretty.js';
import type { Representation } from './representation.js';

/** Answers with an object as it is now stored. @param compress whether clients that take it compressed get it so */
export async function sendObject(
  ctx: RequestContext,
  code: number,
  representation: Representation,
  stored: Stored,
  compress = false,
): Promise<void> {
  const body = (await representation.objectInTurns?.(stored)) ?? representation.object(stored);
  const shown = await prettyIfAsked(ctx, representation.contentType, body);
  await sendBytes(ctx, code, representation.contentType, shown, compress);
}
