import { hash, randomBytes } from 'node:crypto';
import type { Names } from '@orch/machinery';
import { LRUCache } from 'lru-cache';
import { commonAudiences, type TokenVerifier } from '../token-verifier.js';
import type { Authentication } from '../user.js';
import { accountClaims, legacyIssuerOf, refusalByTime, type VerifiedToken } from './account-claims.js';
import { type BoundObjectGetter, standingOf } from './bound-objects.js';
import { areLegacy, legacyClaims } from './legacy-claims.js';
import { isSignedBy, parseToken, type SignedToken } from './signed-token.js';
import type { VerificationKey } from './verification-key.js';

/** Number of tokens whose verified signature is cached: the users of a large cluster. */
const REMEMBERED = 32_768;

interface ServiceAccountTokensSettings {
  readonly names: Names;
  readonly keys: readonly VerificationKey[];
  /** Accepted issuers, beside that of tokens in Secrets (`--service-account-issuer`). */
  readonly issuers: readonly string[];
  /** Audiences of the API (`--api-audiences`); never empty. */
  readonly audiences: readonly string[];
  /** Whether tokens in Secrets become invalid with these (`--service-account-lookup`). */
  readonly lookup: boolean;
  readonly objects: BoundObjectGetter;
  /** Called for each accepted token, for metrics. */
  readonly onUse?: (use: TokenUse) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** `valid` and `stale` for tokens with a renewal time, before and after that; `legacy` for those without audience. */
export type TokenUse = 'valid' | 'stale' | 'legacy';

/**
 * Tokens of service accounts: those of the TokenRequest API, and those in Secrets (as in pkg/serviceaccount/jwt.go of
 * k8s.io/kubernetes). Signatures are verified once for each token, which is cached by a digest under a key that only
 * this process knows; times, audiences and bound objects are checked each time.
 */
export class ServiceAccountTokens implements TokenVerifier {
  readonly #settings: ServiceAccountTokensSettings;
  readonly #now: () => number;
  readonly #secret = randomBytes(32).toString('base64');
  readonly #verified = new LRUCache<string, VerifiedToken>({ max: REMEMBERED });

  constructor(settings: ServiceAccountTokensSettings) {
    this.#settings = settings;
    this.#now = settings.now ?? Date.now;
  }

  /** Undefined for a token of another issuer. @throws Error saying why one of these issuers' is not valid */
  async verify(token: string, wanted?: readonly string[]): Promise<Authentication | undefined> {
    const verified = this.#verifiedToken(token);
    if (!verified) return undefined;
    const { audiences: own, objects } = this.#settings;
    const asked = wanted ?? own;
    const given = verified.audiences.length > 0 ? verified.audiences : own;
    const audiences = commonAudiences(asked, given);
    if (audiences.length === 0)
      throw new Error(`token audiences ${quoted(given)} is invalid for the target audiences ${quoted(asked)}`);
    const { authentication } = verified;
    const ended = refusalByTime(verified, this.#now());
    if (ended !== undefined) throw new Error(ended);
    const { refusal, endsAt } = await standingOf(authentication.boundTo, objects, this.#now);
    if (refusal !== undefined) throw new Error(refusal);
    const annotations = this.#use(verified);
    const expiresAt = earlier(authentication.expiresAt, endsAt);
    return {
      ...authentication,
      audiences,
      ...(expiresAt !== undefined && { expiresAt }),
      ...(annotations && { annotations }),
    };
  }

  /** Verifies a token; undefined if its issuer is not accepted. @throws Error */
  #verifiedToken(token: string): VerifiedToken | undefined {
    const digest = hash('sha256', this.#secret + token, 'base64');
    const known = this.#verified.get(digest);
    if (known) return known;
    const parsed = parseToken(token);
    const read = parsed && this.#readerOf(parsed);
    if (!read) return undefined;
    if (!isSignedBy(parsed, this.#settings.keys))
      throw new Error('the signature of the service account token is not of a key that is known');
    const verified = read(token);
    this.#verified.set(digest, verified);
    return verified;
  }

  #readerOf({ claims }: SignedToken): ((token: string) => VerifiedToken) | undefined {
    const { issuers, names, lookup } = this.#settings;
    const { iss } = claims;
    if (iss === legacyIssuerOf(names) && areLegacy(claims, names))
      return (token) => legacyClaims(claims, token, names, lookup);
    if (typeof iss === 'string' && issuers.includes(iss)) return () => accountClaims(claims, names);
    return undefined;
  }

  /** Counts an accepted token. @returns its annotations for the audit log */
  #use({ audiences, subject, warnAfter }: VerifiedToken): Record<string, string> | undefined {
    const { onUse, names } = this.#settings;
    const group = names.group('authentication.orch.io');
    if (audiences.length === 0) {
      onUse?.('legacy');
      return { [`${group}/legacy-token`]: subject };
    }
    if (warnAfter === undefined) return undefined;
    const late = Math.floor(this.#now() / 1000) - Math.floor(warnAfter / 1000);
    onUse?.(this.#now() > warnAfter ? 'stale' : 'valid');
    if (this.#now() <= warnAfter) return undefined;
    return { [`${group}/stale-token`]: `subject: ${subject}, seconds after warning threshold: ${late}` };
  }
}

const earlier = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);

/** Formats a list of texts as Go does. */
const quoted = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
