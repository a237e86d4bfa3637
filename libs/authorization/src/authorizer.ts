import type { UserInfo } from '@orch/authentication';

/** Attributes of a request: a verb on a resource, or on a bare path. */
export interface RequestAttributes {
  /** `get`, `list`, `create`, … for resources; for paths the HTTP method in lower case. */
  readonly verb: string;
  /** Whether it is about a resource; for other requests only verb and path are set. */
  readonly isResourceRequest: boolean;
  /** Path of the request, undecoded. The requested object if it is no resource request. */
  readonly path: string;
  /** Empty for the core group. */
  readonly group: string;
  /** Version without the group, such as `v1`. */
  readonly version: string;
  /** The plural, as in paths; it may be unknown. */
  readonly resource: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Empty for cluster-scoped resources, and for all namespaces; for a namespace its own name. */
  readonly namespace: string;
  /** Empty for collections and for objects without a name yet. */
  readonly name: string;
}

/** `no-opinion` leaves the decision to others; if none has an opinion, access is denied. */
export interface Decision {
  /** `allow` and `deny` are final. */
  readonly decision: 'allow' | 'deny' | 'no-opinion';
  /** Reason, for the refused caller and for audit; may be empty. */
  readonly reason: string;
}

/** Decides whether requests are allowed. */
export interface Authorizer {
  /** Decides on a request. Rejects when it cannot: access is not granted then. */
  authorize(user: UserInfo, request: RequestAttributes): Promise<Decision>;
  /** Lists a user's rights in a namespace, for display; absent when they cannot be listed. */
  rulesFor?(user: UserInfo, namespace: string): Promise<UserRules>;
}

/** Allowed verbs on resources; `*` stands for all. */
export interface ResourceRule {
  /** `get`, `list`, …; `*` for all. */
  readonly verbs: readonly string[];
  /** `''` for the core group; `*` for all. */
  readonly apiGroups: readonly string[];
  /** `resource/subresource` for subresources. */
  readonly resources: readonly string[];
  /** Empty for all. */
  readonly resourceNames: readonly string[];
}

/** Allowed verbs on paths. */
export interface PathRule {
  /** `get`, `post`, …; `*` for all. */
  readonly verbs: readonly string[];
  /** Paths; `*` alone or at the end matches any rest. */
  readonly nonResourceURLs: readonly string[];
}

/** Rights of a user. */
export interface UserRules {
  /** Rules on resources, in no particular order. */
  readonly resourceRules: readonly ResourceRule[];
  /** Rules on non-resource paths. */
  readonly pathRules: readonly PathRule[];
  /** Whether the list may be incomplete, because an authorizer cannot list rules. */
  readonly incomplete: boolean;
  /** Errors of the list, or why it is incomplete; mostly empty. */
  readonly problems: readonly string[];
}

/** Allowed, without a reason. */
export const ALLOW: Decision = { decision: 'allow', reason: '' };
/** No opinion, without a reason. */
export const NO_OPINION: Decision = { decision: 'no-opinion', reason: '' };

/** The group whose members may do everything, and are exempt from request limits. */
export const MASTERS = 'system:masters';

/**
 * Several authorizers as one: the first in order that has an opinion decides. One that fails is skipped; if then none
 * allows or denies, its error is thrown.
 */
export function union(authorizers: readonly Authorizer[]): Authorizer {
  return {
    async authorize(user, request) {
      const reasons: string[] = [];
      const errors: unknown[] = [];
      for (const authorizer of authorizers) {
        try {
          const decision = await authorizer.authorize(user, request);
          if (decision.decision !== 'no-opinion') return decision;
          if (decision.reason !== '') reasons.push(decision.reason);
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
      return { decision: 'no-opinion', reason: reasons.join('\n') };
    },
    async rulesFor(user, namespace) {
      const listed = await Promise.all(authorizers.map((authorizer) => rulesOf(authorizer, user, namespace)));
      return {
        resourceRules: listed.flatMap(({ resourceRules }) => resourceRules),
        pathRules: listed.flatMap(({ pathRules }) => pathRules),
        incomplete: listed.some(({ incomplete }) => incomplete),
        problems: listed.flatMap(({ problems }) => problems),
      };
    },
  };
}

/** Lists a user's rights in a namespace by an authorizer; one that cannot list them reports so. */
export async function rulesOf(authorizer: Authorizer, user: UserInfo, namespace: string): Promise<UserRules> {
  const listed = await authorizer.rulesFor?.(user, namespace);
  const problems = ['an authorizer cannot list the rules of users'];
  return listed ?? { resourceRules: [], pathRules: [], incomplete: true, problems };
}
