import { Backoff } from '@orch/runtime/work';
import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet } from 'jose';
import { asClaims, type Claims, claimOf } from './claims.js';

/**
 * Reads a document at an `https` URL; follows no redirect, and limits size and time. @throws Error saying why it cannot
 */
export type ReadDocument = (url: string, bearerToken?: string) => Promise<Uint8Array>;

/** Settings for reading the keys of an OpenID Connect issuer. */
export interface IssuerKeysSettings {
  readonly issuer: string;
  readonly read: ReadDocument;
  /** Accepted algorithms; others are refused whatever the keys. */
  readonly algorithms: readonly string[];
  /** Called with the error when the issuer cannot be reached; it is retried. */
  readonly onError: (error: unknown) => void;
  /** Called when the keys have changed. */
  readonly onKeys?: () => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Maximum number of keys of an issuer; those beyond are ignored. */
const MOST_KEYS = 100;
/** Milliseconds between attempts to find the issuer. */
const RETRY = { firstMs: 500, longestMs: 10_000 };
/** Milliseconds between two fetches of keys: anybody can make tokens with unknown keys. */
const FETCH_INTERVAL_MS = 1_000;
/**
 * Milliseconds after which keys are fetched again with the next token, so that a withdrawn one does not stay valid for
 * ever.
 */
const KEYS_AGE_MS = 600_000;

/**
 * The keys of an issuer, found through its discovery document and fetched again when a token has an unknown signature.
 */
export class IssuerKeys {
  #jwksUrl: string | undefined;
  #keys: ReturnType<typeof createLocalJWKSet> | undefined;
  #shown = '';
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;
  readonly #backoff = new Backoff(RETRY);
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly settings: IssuerKeysSettings) {}

  /** Whether the issuer was found and its keys were fetched. */
  get ready(): boolean {
    return this.#keys !== undefined;
  }

  /** Finds the issuer, now or as soon as it answers. Resolves after the first attempt. */
  async start(): Promise<void> {
    try {
      this.#jwksUrl ??= await this.#discover();
      await this.#fetch();
    } catch (error) {
      this.settings.onError(error);
      if (this.#isClosed) return;
      this.#timer = setTimeout(() => void this.start(), this.#backoff.next());
      this.#timer.unref();
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /**
   * Returns the claims of a token that is signed with one of the keys. @throws Error when it is not, or when that
   * cannot be verified now
   */
  async verify(token: string): Promise<Claims> {
    const keys = this.#keys;
    const age = this.#age;
    const found = await this.#verifiedBy(token);
    if (found) {
      this.renew();
      return found;
    }
    if (this.#fetching || age >= FETCH_INTERVAL_MS) await this.#refetch();
    const again = this.#keys === keys ? undefined : await this.#verifiedBy(token);
    if (!again) throw new Error('failed to verify signature: failed to verify id token signature');
    return again;
  }

  /** Must be called with each token that is used: old keys are fetched again in the background. */
  renew(): void {
    if (this.#age > KEYS_AGE_MS) this.#fetch().catch(this.settings.onError);
  }

  get #age(): number {
    return this.settings.now() - this.#fetchedAt;
  }

  async #refetch(): Promise<void> {
    try {
      await this.#fetch();
    } catch (error) {
      throw new Error(`failed to verify signature: fetching keys ${messageOf(error)}`, { cause: error });
    }
  }

  async #discover(): Promise<string> {
    const { issuer, read } = this.settings;
    const document = asClaims(await read(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`));
    if (!document) throw new Error('oidc: failed to decode provider discovery object');
    const [found, jwksUrl] = [claimOf(document, 'issuer'), claimOf(document, 'jwks_uri')];
    if (found !== issuer)
      throw new Error(
        `oidc: issuer did not match the issuer returned by provider, expected ${JSON.stringify(issuer)} got ${JSON.stringify(found)}`,
      );
    if (typeof jwksUrl !== 'string') throw new Error('oidc: the provider names no jwks_uri');
    return jwksUrl;
  }

  /** Fetches the keys; concurrent calls share one fetch. */
  #fetch(): Promise<void> {
    this.#fetching ??= this.#fetchNow().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchNow(): Promise<void> {
    const { read, now, onKeys } = this.settings;
    // Even after a failure, so that the issuer is not called more often because of it.
    this.#fetchedAt = now();
    const document = asClaims(await read(String(this.#jwksUrl)));
    const keys = document && claimOf(document, 'keys');
    if (!Array.isArray(keys)) throw new Error('oidc: failed to decode keys');
    const set = { keys: keys.slice(0, MOST_KEYS) } as JSONWebKeySet;
    const made = createLocalJWKSet(set);
    const shown = JSON.stringify(set);
    if (shown === this.#shown) return;
    this.#keys = made;
    this.#shown = shown;
    onKeys?.();
  }

  /** Returns undefined when none of the keys verifies it. */
  async #verifiedBy(token: string): Promise<Claims | undefined> {
    const keys = this.#keys;
    if (!keys) return undefined;
    try {
      return await this.#verifyWith(token, keys);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return this.#refused(error);
      for await (const key of error) {
        const found = await this.#verifyWith(token, key).catch((failure) => this.#refused(failure));
        if (found) return found;
      }
      return undefined;
    }
  }

  async #verifyWith(token: string, key: Parameters<typeof compactVerify>[1] | ReturnType<typeof createLocalJWKSet>) {
    const options = { algorithms: [...this.settings.algorithms] };
    const { payload, protectedHeader } = await compactVerify(
      token,
      key as Parameters<typeof compactVerify>[1],
      options,
    );
    const claims = protectedHeader.b64 === false ? undefined : asClaims(payload);
    if (!claims) throw new Error('the token holds no claims');
    return claims;
  }

  /** Throws errors that other keys would not fix; otherwise returns undefined. */
  #refused(error: unknown): undefined {
    const { algorithms } = this.settings;
    if (error instanceof errors.JOSEAlgNotAllowed)
      throw new Error(`id token signed with unsupported algorithm, expected one of ${algorithms.join(', ')}`);
    return undefined;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
