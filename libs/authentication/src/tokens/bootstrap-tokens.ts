import { createHash, timingSafeEqual } from 'node:crypto';
import { type Names, parseTime } from '@orch/machinery';
import type { TokenVerifier } from '../token-verifier.js';
import { type Authentication, authenticated } from '../user.js';
import type { BoundObjectGetter, KnownObject, ObjectName } from './bound-objects.js';

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const GROUP = 'system:bootstrappers';
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** Type of the Secrets of bootstrap tokens. */
export const bootstrapTypeOf = (names: Names): string => names.key('bootstrap.orch.io/token');

/** Namespace and prefix of those Secrets: the rest of a name is the token's id. */
export const BOOTSTRAP_SECRETS = { namespace: 'kube-system', prefix: 'bootstrap-token-' } as const;

/**
 * Tokens with which nodes join (spec: "Bootstrap tokens"): each is in a Secret of `kube-system` that is named after its
 * id. Follows plugin/pkg/auth/authenticator/token/bootstrap of k8s.io/kubernetes.
 */
export class BootstrapTokens implements TokenVerifier {
  /** Cached result for a Secret, for as long as it does not change. */
  readonly #known = new WeakMap<KnownObject, Authentication>();

  /** @param now milliseconds since the epoch */
  constructor(
    private readonly names: Names,
    private readonly objects: BoundObjectGetter,
    private readonly now: () => number = Date.now,
  ) {}

  /** Returns undefined for an invalid or expired token. @throws Error when that cannot be determined */
  async verify(token: string): Promise<Authentication | undefined> {
    const [, id, secret] = TOKEN.exec(token) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const { namespace, prefix } = BOOTSTRAP_SECRETS;
    const object: ObjectName = { kind: 'Secret', namespace, name: prefix + id };
    const found = await this.objects.find(object);
    const groups = found && this.#groupsOf(found, id, digestOf(secret));
    if (!found || !groups) return undefined;
    const known = this.#known.get(found) ?? this.#authentication(object, found, id, digestOf(secret), groups);
    this.#known.set(found, known);
    return known;
  }

  #authentication(
    object: ObjectName,
    found: KnownObject,
    id: string,
    digest: Buffer,
    groups: readonly string[],
  ): Authentication {
    const user = { name: `system:bootstrap:${id}`, groups, extra: {} };
    const { expiration } = found.data ?? {};
    const refusal = (later: KnownObject | undefined) => {
      const now = later && this.#groupsOf(later, id, digest);
      return now?.join() === groups.join() ? undefined : 'the bootstrap token has been changed or deleted';
    };
    const boundTo = [{ object, refusal }];
    return { ...authenticated(user, 'token', expiration ? bootstrapTokenEnd(expiration) : undefined), boundTo };
  }

  /** Returns the groups of the token's holder; undefined if it is not valid. */
  #groupsOf({ deletedAt, type, data }: KnownObject, id: string, digest: Buffer): readonly string[] | undefined {
    if (deletedAt !== undefined || type !== bootstrapTypeOf(this.names) || !data) return undefined;
    if (!timingSafeEqual(digestOf(data['token-secret'] ?? ''), digest) || data['token-id'] !== id) return undefined;
    if (bootstrapTokenEnd(data.expiration) <= this.now() || data['usage-bootstrap-authentication'] !== 'true')
      return undefined;
    const extra = data['auth-extra-groups'] ? data['auth-extra-groups'].split(',') : [];
    return extra.every((group) => EXTRA_GROUP.test(group)) ? [...new Set([GROUP, ...extra])].sort() : undefined;
  }
}

const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/**
 * Returns when a bootstrap token ends, milliseconds since 1970: never without an expiration, long ago by one that is no
 * RFC 3339 time, as in the reference.
 */
export function bootstrapTokenEnd(expiration = ''): number {
  if (expiration === '') return Number.POSITIVE_INFINITY;
  try {
    return parseTime(expiration);
  } catch {
    return 0;
  }
}
