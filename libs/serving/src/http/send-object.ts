import type { Representation, Stored } from '@orch/resources';
import type { RequestContext } from './context.js';
import { prettyIfRequested } from './pretty.js';
import { sendBytes } from './respond.js';

/**
 * Responds with an object as it is now stored.
 * @param compress whether the response may be compressed if the client accepts it
 */
export async function sendObject(
  ctx: RequestContext,
  code: number,
  representation: Representation,
  stored: Stored,
  compress = false,
): Promise<void> {
  const body = (await representation.objectInTurns?.(stored)) ?? representation.object(stored);
  const shown = await prettyIfRequested(ctx, representation.contentType, body);
  await sendBytes(ctx, code, representation.contentType, shown, compress);
}
