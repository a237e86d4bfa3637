import { hash, randomBytes } from 'node:crypto';
import {
  type Authentication,
  authenticated,
  commonAudiences,
  type Recheck,
  type TokenVerifier,
  type UserInfo,
} from '@orch/authentication';
import type { ExpiringValue, VerdictCache } from '@orch/webhooks';
import type { ConfiguredWebhook } from './configured-webhook.js';

/** Verdict of a webhook about a token; plain JSON, as it is shared. */
interface TokenVerdict {
  /** User of the token; absent for an invalid token. */
  readonly user?: UserInfo;
  /** Requested audiences that the token is valid for; empty where none were requested. */
  readonly audiences: readonly string[];
  /** Why the token is invalid. */
  readonly error?: string;
}

interface TokenWebhookSettings {
  readonly webhook: Pick<ConfiguredWebhook, 'ask' | 'place'>;
  /** `GROUP/VERSION` of the reviews that it is sent and must answer with. */
  readonly apiVersion: string;
  readonly cache: VerdictCache<TokenVerdict>;
  /** The API's own audiences. */
  readonly audiences: readonly string[];
}

/**
 * Verifies tokens with a webhook (spec: "Webhook token authentication"), as plugin/pkg/authenticator/token/webhook of
 * k8s.io/apiserver does.
 */
export class TokenWebhook implements TokenVerifier {
  readonly #key = randomBytes(32).toString('base64');

  constructor(private readonly settings: TokenWebhookSettings) {}

  /** @throws Error with the webhook's message about the token; WebhookError when the call fails */
  async verify(token: string, audiences = this.settings.audiences): Promise<Authentication | undefined> {
    const verdict = await this.#verdict(token, audiences);
    if (verdict.value.error !== undefined) throw new Error(verdict.value.error);
    return this.#taken(verdict, token, audiences);
  }

  #verdict(token: string, audiences: readonly string[]): Promise<ExpiringValue<TokenVerdict>> {
    const { cache, webhook, apiVersion } = this.settings;
    const parts = ['token', webhook.place, apiVersion, JSON.stringify(this.settings.audiences), token, ...audiences];
    return cache.known(parts, () => this.#ask(token, audiences));
  }

  #taken(
    { value, until }: ExpiringValue<TokenVerdict>,
    token: string,
    audiences: readonly string[],
  ): Authentication | undefined {
    if (!value.user) return undefined;
    const recheck: Recheck = {
      key: hash('sha256', this.#key + token, 'base64'),
      dueAt: until,
      again: async () => this.#taken(await this.#verdict(token, audiences), token, audiences),
    };
    const known = { ...authenticated(value.user, 'token'), recheck };
    return value.audiences.length > 0 ? { ...known, audiences: value.audiences } : known;
  }

  async #ask(token: string, audiences: readonly string[]): Promise<TokenVerdict> {
    const { webhook, apiVersion } = this.settings;
    const review = {
      kind: 'TokenReview',
      apiVersion,
      metadata: { creationTimestamp: null },
      spec: { token, ...(audiences.length > 0 && { audiences }) },
    };
    const answer = await webhook.ask(review);
    for (const [member, wanted] of Object.entries({ kind: 'TokenReview', apiVersion })) {
      if ((answer[member] || wanted) !== wanted)
        throw new Error(`the webhook answered with another ${member} than ${wanted}`);
    }
    return this.#judged(fieldsOf(answer.status, 'status'), audiences);
  }

  #judged(status: Fields, wanted: readonly string[]): TokenVerdict {
    const given = textsOf(status.audiences, 'status.audiences');
    // A webhook that names no audiences vouches for those of the API.
    const audiences = commonAudiences(wanted, given.length > 0 ? given : this.settings.audiences);
    if (wanted.length > 0 && audiences.length === 0) return { audiences };
    if (status.authenticated !== true) {
      const { error } = status;
      return { audiences, ...(typeof error === 'string' && error !== '' && { error }) };
    }
    return { audiences, user: userOf(fieldsOf(status.user, 'status.user')) };
  }
}

/** Reads a verdict that another process has shared; undefined for an invalid value. */
export function readVerdict(value: unknown): TokenVerdict | undefined {
  try {
    const { user, audiences } = fieldsOf(value, 'verdict');
    const known = user === undefined ? undefined : fieldsOf(user, 'user');
    return {
      audiences: textsOf(audiences, 'audiences'),
      ...(known && { user: userOf({ ...known, username: known.name }) }),
    };
  } catch {
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function userOf({ username, uid, groups, extra }: Fields): UserInfo {
  if (typeof username !== 'string' || username === '') throw new Error('the webhook named no user');
  // Keys come from outside: without a prototype none of them is special.
  const more: Record<string, readonly string[]> = Object.create(null);
  for (const [key, values] of Object.entries(fieldsOf(extra, 'status.user.extra')))
    more[key] = textsOf(values, 'status.user.extra');
  return {
    name: username,
    ...(typeof uid === 'string' && uid !== '' && { uid }),
    groups: textsOf(groups, 'status.user.groups'),
    extra: more,
  };
}

/** @throws Error for a value that is no object; a missing one is empty */
function fieldsOf(value: unknown, called: string): Fields {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new Error(`the webhook's ${called} is not an object`);
  return value as Fields;
}

/** @throws Error for a value that is no list of strings; a missing one is empty */
function textsOf(value: unknown, called: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string'))
    throw new Error(`the webhook's ${called} is not a list of strings`);
  return value;
}
