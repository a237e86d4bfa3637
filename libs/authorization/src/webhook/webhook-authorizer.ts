import type { UserInfo } from '@orch/authentication';
import { formatApiVersion, type Names } from '@orch/machinery';
import type { Authorizer, Decision, RequestAttributes } from '../authorizer.js';

/** Versions of the SubjectAccessReview that a webhook may speak. */
export type ReviewVersion = 'v1' | 'v1beta1';

/** Verdict of a webhook; plain JSON. */
export interface WebhookVerdict {
  /** It may. */
  readonly allowed: boolean;
  /** It may not, whatever others say. */
  readonly denied: boolean;
  /** Why; may be empty. */
  readonly reason: string;
}

/** How a webhook is asked. */
export interface WebhookAuthorizerOptions {
  /** Name of the review's group. */
  readonly names: Names;
  /** In which version it is asked, and has to answer. */
  readonly version: ReviewVersion;
  /** Sends a review. Rejects where there is no answer, after as many tries as are to be made. */
  readonly ask: (review: object) => Promise<Readonly<Record<string, unknown>>>;
  /** Knows verdicts for a while: finds the one on what texts say together, where it does not know it. */
  readonly verdicts: { of(parts: readonly string[], find: () => Promise<WebhookVerdict>): Promise<WebhookVerdict> };
}

/** Characters chosen by a caller beyond which its verdict is not cached, so that callers cannot fill the memory. */
const MOST_CHOSEN = 10_000;

/** Asks a webhook with SubjectAccessReviews (mode `Webhook`; apiserver v0.27.16, plugin/pkg/authorizer/webhook). */
export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const { names, version, verdicts } = options;
  const apiVersion = formatApiVersion({ group: names.group('authorization.orch.io'), version });
  return {
    async authorize(user, request) {
      const spec = specOf(user, request, version);
      const find = () => asked(options, apiVersion, spec);
      const isKept = chosenLength(request) < MOST_CHOSEN;
      return decisionOf(isKept ? await verdicts.of([apiVersion, JSON.stringify(spec)], find) : await find());
    },
    rulesFor: async () => ({
      resourceRules: [],
      pathRules: [],
      incomplete: true,
      problems: ['webhook authorizer does not support user rule resolution'],
    }),
  };
}

/** A verdict as it was kept elsewhere; undefined for what is none. */
export function readWebhookVerdict(value: unknown): WebhookVerdict | undefined {
  if (!isStatus(value)) return undefined;
  const { allowed, denied, reason } = value;
  if (typeof allowed !== 'boolean' || typeof denied !== 'boolean' || typeof reason !== 'string') return undefined;
  return { allowed, denied, reason };
}

/** Returns the decision; a verdict that is both denied and allowed is denied. */
function decisionOf({ allowed, denied, reason }: WebhookVerdict): Decision {
  if (denied) return { decision: 'deny', reason };
  return { decision: allowed ? 'allow' : 'no-opinion', reason };
}

async function asked({ ask }: WebhookAuthorizerOptions, apiVersion: string, spec: object): Promise<WebhookVerdict> {
  const kind = 'SubjectAccessReview';
  const metadata = { creationTimestamp: null };
  const answer = await ask({ kind, apiVersion, metadata, spec, status: { allowed: false } });
  if (answer.kind !== kind || answer.apiVersion !== apiVersion)
    throw new Error(`the authorization webhook did not answer with a ${kind} of ${apiVersion}`);
  const { allowed, denied, reason } = isStatus(answer.status) ? answer.status : {};
  return {
    allowed: allowed === true,
    denied: denied === true,
    reason: typeof reason === 'string' ? reason : '',
  };
}

interface Status {
  readonly allowed?: unknown;
  readonly denied?: unknown;
  readonly reason?: unknown;
}

const isStatus = (value: unknown): value is Status => typeof value === 'object' && value !== null;

/** Returns the review's spec without empty fields; groups had another name in `v1beta1`. */
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
