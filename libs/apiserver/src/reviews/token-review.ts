import { Socket } from 'node:net';
import type { Authentication, UserInfo } from '@orch/authentication';
import { badRequest, StatusError } from '@orch/machinery';
import type { TokenReviewSpec } from '@orch/schema/types/authentication/v1';
import type { ApiDeps, ResourceCall } from '../deps.js';
import type { RequestContext } from '../http/context.js';
import { answerReview, readReview } from './review.js';

const NOT_KNOWN = 'invalid bearer token';

/** Whom a bearer token stands for. */
export async function reviewToken(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  await answerReview(deps, ctx, call, await readReview(deps, ctx, call), ({ spec }) => {
    const { token = '', audiences = [] } = (spec ?? {}) as TokenReviewSpec;
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    return async () => {
      // Tokens are of no audience so far: none is good for a named one.
      const found = audiences.length > 0 ? NOT_KNOWN : await holderOf(ctx, token);
      if (typeof found === 'string') return { status: { user: {}, error: found } };
      return { status: { authenticated: true, user: wireUser(found.user) } };
    };
  });
}

/** Asks as if the token alone had come with a request; what is wrong with it, where it stands for nobody. */
async function holderOf({ access }: RequestContext, token: string): Promise<Authentication | string> {
  const headers = { authorization: `Bearer ${token}` };
  try {
    const found = await access.authenticator.authenticate({ socket: new Socket(), headers });
    return found.method === 'anonymous' ? NOT_KNOWN : found;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 401) throw error;
    return error.cause instanceof Error ? error.cause.message : NOT_KNOWN;
  }
}

/** A user as reviews show it. */
export const wireUser = ({ name, uid, groups, extra }: UserInfo) => ({
  username: name,
  ...(uid !== undefined && { uid }),
  groups: [...groups],
  ...(Object.keys(extra).length > 0 && { extra }),
});
