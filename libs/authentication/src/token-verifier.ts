import type { Authentication } from './user.js';

/** Authenticates a bearer token; undefined when this verifier does not know it. */
export interface TokenVerifier {
  /**
   * @param audiences of which the token must be for one; undefined: the API's own
   * @throws Error saying why a token that it knows is invalid, or why it cannot tell now, never with the token in it;
   * further verifiers are called all the same
   */
  verify(
    token: string,
    audiences?: readonly string[],
  ): Authentication | undefined | Promise<Authentication | undefined>;
}

/** Returns the audiences of `wanted` that `given` has too, in the order of `wanted`. */
export function commonAudiences(wanted: readonly string[], given: readonly string[]): readonly string[] {
  // Both may be long: one is chosen by the reviewer of a token, the other by its requester.
  const known = new Set(given);
  return wanted.filter((audience) => known.has(audience));
}

/**
 * A verifier of tokens without audiences: each is valid for those of the API, and for no other.
 * @param own the API's audiences; if empty, tokens are valid for any
 */
export function audienceAgnostic(verifier: TokenVerifier, own: readonly string[]): TokenVerifier {
  return {
    async verify(token, wanted = own) {
      if (wanted.length === 0 || own.length === 0) return verifier.verify(token);
      const audiences = commonAudiences(wanted, own);
      if (audiences.length === 0) return undefined;
      const known = await verifier.verify(token);
      return known && { ...known, audiences };
    },
  };
}
