import type { Representation, Stored } from '@orch/resources';
import type { RequestContext } from './context.js';
import { prettyIfAsked } from './pretty.js';
import { sendBytes } from './respond.js';

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
