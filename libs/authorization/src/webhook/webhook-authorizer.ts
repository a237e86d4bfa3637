import type { UserInfo } from '@orch/authentication';
import { formatApiVersion, type Names } from '@orch/machinery';
import type { Authorizer, Decision, RequestAttributes } from '../authorizer.js';
import { VerdictCache } from './verdict-cache.js';

/** Versions of the SubjectAccessReview that a webhook may speak. */
export type ReviewVersion = 'v1' | 'v1beta1';

/** How a webhook is asked, and for how long its answers are good. */
export interface WebhookAuthorizerOptions {
  /** Of the group of reviews. */
  readonly names: Names;
  /** In which version it is asked, and has to answer. */
  readonly version: ReviewVersion;
  /** Milliseconds for which a yes is good. */
  readonly authorizedTtl: number;
  /** Milliseconds for which anything else is. */
  readonly unauthorizedTtl: number;
  /** Sends a review, JSON. Resolves with the answer as it came. Rejects where there is none, after as many tries as are to be made. */
  readonly ask: (review: string) => Promise<string>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Verdicts that are kept. */
const MOST_VERDICTS = 8192;
/** Characters of what a caller chooses beyond which its verdict is not kept: nobody is to fill memory by what it asks for. */
const MOST_CHOSEN = 10_000;

/** What a webhook said of a request. */
interface Verdict {
  readonly allowed?: boolean;
  readonly denied?: boolean;
  readonly reason?: string;
}

/** Asks somebody outside by SubjectAccessReviews (mode `Webhook`; apiserver v0.27.16, plugin/pkg/authorizer/webhook). */
export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const { authorizedTtl, unauthorizedTtl, now } = options;
  const kept = new VerdictCache<Verdict>(MOST_VERDICTS, now);
  const judge = async (user: UserInfo, request: RequestAttributes): Promise<Verdict> => {
    const spec = specOf(user, request, options.version);
    const key = JSON.stringify(spec);
    const known = kept.get(key);
    if (known) return known;
    const verdict = await asked(options, spec);
    if (chosenLength(request) < MOST_CHOSEN) kept.put(key, verdict, verdict.allowed ? authorizedTtl : unauthorizedTtl);
    return verdict;
  };
  return {
    async authorize(user, request) {
      return decisionOf(await judge(user, request));
    },
    rulesFor: async () => ({
      resourceRules: [],
      pathRules: [],
      incomplete: true,
      problems: ['webhook authorizer does not support user rule resolution'],
    }),
  };
}

/** Who says both refuses. */
function decisionOf({ allowed = false, denied = false, reason = '' }: Verdict): Decision {
  if (denied) return { decision: 'deny', reason };
  return { decision: allowed ? 'allow' : 'no-opinion', reason };
}

async function asked({ names, version, ask }: WebhookAuthorizerOptions, spec: object): Promise<Verdict> {
  const apiVersion = formatApiVersion({ group: names.group('authorization.orch.io'), version });
  const kind = 'SubjectAccessReview';
  const metadata = { creationTimestamp: null };
  const text = await ask(JSON.stringify({ kind, apiVersion, metadata, spec, status: { allowed: false } }));
  const answer: unknown = JSON.parse(text);
  if (!isReview(answer) || answer.kind !== kind || answer.apiVersion !== apiVersion)
    throw new Error(`the authorization webhook did not answer with a ${kind} of ${apiVersion}`);
  const { allowed, denied, reason } = answer.status ?? {};
  return {
    allowed: allowed === true,
    denied: denied === true,
    reason: typeof reason === 'string' ? reason : '',
  };
}

interface Review {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
  readonly status?: { readonly allowed?: unknown; readonly denied?: unknown; readonly reason?: unknown } | null;
}

const isReview = (value: unknown): value is Review => typeof value === 'object' && value !== null;

/** What is empty is left out; groups had another name in `v1beta1`. */
function specOf({ name, groups, uid, extra }: UserInfo, request: RequestAttributes, version: ReviewVersion): object {
  const { isResourceRequest, path, verb, namespace, group, version: of, resource, subresource, name: object } = request;
  const about = isResourceRequest
    ? { resourceAttributes: filled({ namespace, verb, group, version: of, resource, subresource, name: object }) }
    : { nonResourceAttributes: filled({ path, verb }) };
  return {
    ...about,
    ...filled({ user: name }),
    ...(groups.length > 0 && { [version === 'v1' ? 'groups' : 'group']: groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
    ...(uid !== undefined && uid !== '' && { uid }),
  };
}

const filled = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));

const chosenLength = ({ namespace, verb, group, version, resource, subresource, name, path }: RequestAttributes) =>
  [namespace, verb, group, version, resource, subresource, name, path].reduce((sum, text) => sum + text.length, 0);
