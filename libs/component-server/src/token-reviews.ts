import { type Authentication, authenticated, type TokenVerifier, type UserInfo } from '@orch/authentication';
import type { Client } from '@orch/client';
import { formatApiVersion, type Names } from '@orch/machinery';
import { VerdictCache } from '@orch/webhooks';

/** Settings of reviews. */
export interface ReviewSettings {
  /** Client of the API, with the right to create reviews. */
  readonly client: Pick<Client, 'create'>;
  /** Names of the installation. */
  readonly names: Names;
  /** Milliseconds that an answer is kept. */
  readonly cacheMs: number;
}

interface TokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly error?: string;
    readonly user?: {
      readonly username?: string;
      readonly uid?: string;
      readonly groups?: readonly string[];
      readonly extra?: Readonly<Record<string, readonly string[]>>;
    };
  };
}

/** Asks the API who a bearer token is (spec: TokenReview). */
export class TokenReviews implements TokenVerifier {
  readonly #verdicts: VerdictCache<UserInfo | null>;

  constructor(private readonly settings: ReviewSettings) {
    this.#verdicts = new VerdictCache({ keptFor: () => settings.cacheMs });
  }

  /** @throws ApiError, TransportError where the API does not answer; Error with its reason for a refused token */
  async verify(token: string): Promise<Authentication | undefined> {
    const user = await this.#verdicts.of([token], () => this.#ask(token));
    return user === null ? undefined : authenticated(user, 'token');
  }

  async #ask(token: string): Promise<UserInfo | null> {
    const { client, names } = this.settings;
    const group = names.group('authentication.orch.io');
    const review = { apiVersion: formatApiVersion({ group, version: 'v1' }), kind: 'TokenReview', spec: { token } };
    const answer = (await client.create({ group, version: 'v1', resource: 'tokenreviews' }, review)) as TokenReview;
    const { authenticated: isKnown, user = {} } = answer.status ?? {};
    if (isKnown !== true) return null;
    const { username: name = '', uid, groups = [], extra = {} } = user;
    return { name, groups, extra, ...(uid !== undefined && { uid }) };
  }
}
