import type { Authentication } from './user.js';

/** Settles who a bearer token stands for; undefined when this verifier does not know the token. */
export interface TokenVerifier {
  /**
   * @param audiences of which the token must be for one; undefined: the API's own
   * @throws Error saying why a token that it knows is not good, or why it cannot tell now, never with the token in it;
   * further verifiers are asked all the same
   */
  verify(
    token: string,
    audiences?: readonly string[],
  ): Authentication | undefined | Promise<Authentication | undefined>;
}

/** Returns the audiences of `wanted` that `given` has too, in the order of `wanted`. */
export function commonAudiences(wanted: readonly string[], given: readonly string[]): readonly string[] {
  // Both may be long: who reviews a token chooses the one, who had it issued the other.
  const known = new Set(given);
  return wanted.filter((audience) => known.has(audience));
}

/**
 * A verifier of tokens that say nothing of audiences: each is good for those of the API, and for no other.
 * @param own the API's audiences; where there are none, tokens are good for whatever is asked for
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
