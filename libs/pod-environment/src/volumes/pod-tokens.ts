import type { Client } from '@orch/client';
import { type ApiObject, parseTime } from '@orch/machinery';
import type { Clock, Logger } from '@orch/runtime';
import type { TokenRequest } from '@orch/schema/types/authentication/v1';
import type { Pod, ServiceAccountTokenProjection } from '@orch/schema/types/core/v1';
import { podKeyOf, uidOf } from '../identity.js';

/** Longest time that a token is used before another one is requested, ms. */
const LONGEST_MS = 24 * 3_600_000;
/** Share of its life after which a token is replaced. */
const RENEWED_AT = 0.8;
/** Tokens are renewed up to so many milliseconds early, so that not all are at the same time. */
const JITTER_MS = 10_000;

interface CachedToken {
  readonly token: string;
  /** Wall times, ms. */
  readonly expiresAt: number;
  readonly renewAt: number;
  readonly podUid: string;
}

/** Settings of {@link PodTokens}. */
interface PodTokensSettings {
  /** Client of the API. */
  readonly client: Pick<Client, 'create' | 'names'>;
  /** Clock of the tokens' lives. */
  readonly clock: Clock;
  /** Logs renewals that fail. */
  readonly logger: Logger;
  /** Draws numbers in [0, 1), for jitter. Default `Math.random`. */
  readonly random?: () => number;
}

const DEFAULT_SECONDS = 3607;

/** Tokens of service accounts for pods: requested from the API, kept, and renewed in time. */
export class PodTokens {
  readonly #tokens = new Map<string, CachedToken>();

  constructor(private readonly settings: PodTokensSettings) {}

  /** Returns a valid token of a pod's service account. @throws Error if none can be had */
  async token(pod: Pod, { audience = '', expirationSeconds }: ServiceAccountTokenProjection): Promise<string> {
    const seconds = Number(expirationSeconds ?? DEFAULT_SECONDS);
    const key = `${uidOf(pod)} ${seconds} ${audience}`;
    const known = this.#tokens.get(key);
    const now = this.settings.clock.wall();
    if (known && now < known.renewAt) return known.token;
    try {
      const fresh = await this.#request(pod, audience, seconds);
      this.#tokens.set(key, fresh);
      return fresh.token;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!known) throw new Error(`failed to fetch token: ${message}`);
      if (now >= known.expiresAt) throw new Error(`token of ${podKeyOf(pod)} expired and refresh failed: ${message}`);
      this.settings.logger.warn('a token of a pod cannot be renewed', { pod: podKeyOf(pod), err: message });
      return known.token;
    }
  }

  /** Forgets the tokens of a pod that has ended. */
  forget(podUid: string): void {
    for (const [key, token] of this.#tokens) if (token.podUid === podUid) this.#tokens.delete(key);
  }

  async #request(pod: Pod, audience: string, seconds: number): Promise<CachedToken> {
    const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
    const { client } = this.settings;
    const request: TokenRequest & ApiObject = {
      apiVersion: `${client.names.group('authentication.orch.io')}/v1`,
      kind: 'TokenRequest',
      spec: {
        audiences: audience === '' ? [] : [audience],
        expirationSeconds: seconds,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
      },
    };
    const ref = { group: '', version: 'v1', resource: 'serviceaccounts', namespace };
    const options = { name: pod.spec?.serviceAccountName ?? 'default', subresource: 'token' };
    const { spec, status } = await client.create(ref, request, {}, options);
    if (!status?.token || !status.expirationTimestamp) throw new Error('the answer has no token');
    // The server may give a longer life than was asked for.
    const lifeMs = Number(spec?.expirationSeconds ?? seconds) * 1000;
    return this.#cached(status.token, parseTime(status.expirationTimestamp), lifeMs, uid);
  }

  #cached(token: string, expiresAt: number, lifeMs: number, podUid: string): CachedToken {
    const issuedAt = expiresAt - lifeMs;
    const jitter = (this.settings.random ?? Math.random)() * JITTER_MS;
    return { token, expiresAt, renewAt: issuedAt + Math.min(lifeMs * RENEWED_AT, LONGEST_MS) - jitter, podUid };
  }
}
