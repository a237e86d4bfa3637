import { Socket } from 'node:net';
import { type Authentication, wireUser } from '@orch/authentication';
import { badRequest, StatusError } from '@orch/machinery';
import type { TokenReviewSpec } from '@orch/schema/types/authentication/v1';
import type { RequestContext, ResourceCall } from '@orch/serving';
import type { ApiDeps } from '../deps.js';
import { answerReview, readReview } from './review.js';

const NOT_KNOWN = 'invalid bearer token';

/**
 * Handles a TokenReview: the user of a bearer token, and the requested audiences that it is valid for; without any,
 * those of the API.
 */
export async function reviewToken(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  await answerReview(deps, ctx, call, await readReview(deps, ctx, call), ({ spec }) => {
    const { token = '', audiences = [] } = (spec ?? {}) as TokenReviewSpec;
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    return async () => {
      const found = await holderOf(ctx, token, audiences.length > 0 ? audiences : undefined);
      if (typeof found === 'string') return { status: { user: {}, error: found } };
      const { user, audiences: good = [] } = found;
      return {
        status: { authenticated: true, user: wireUser(user), ...(good.length > 0 && { audiences: [...good] }) },
      };
    };
  });
}

/** Authenticates a token as if it alone had come with a request; returns why it is invalid otherwise. */
async function holderOf(
  { access }: RequestContext,
  token: string,
  audiences: readonly string[] | undefined,
): Promise<Authentication | string> {
  const headers = { authorization: `Bearer ${token}` };
  try {
    const found = await access.authenticator.authenticate({ socket: new Socket(), headers }, audiences);
    return found.method === 'anonymous' ? NOT_KNOWN : found;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 401) throw error;
    return error.cause instanceof Error ? error.cause.message : NOT_KNOWN;
  }
}
