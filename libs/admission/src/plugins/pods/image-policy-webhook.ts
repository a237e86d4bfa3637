import { formatApiVersion, type Names } from '@orch/machinery';
import { VerdictCache } from '@orch/webhooks';
import type { Attributes, Target } from '../../attributes.js';
import type { PluginMaker, ReviewCaller } from '../../plugin.js';
import { refusal } from '../../refusal.js';
import { readImagePolicy } from './image-policy-configuration.js';
import { podOf } from './pod-containers.js';
import { isAboutPods } from './pods.js';

/** Verdict of the webhook on images. */
interface Verdict {
  readonly allowed: boolean;
  /** Reason of a denial. */
  readonly reason: string;
  /** Annotations for the audit event. */
  readonly annotations: readonly (readonly [string, string])[];
}

/** Most verdicts that are cached. */
const MOST_VERDICTS = 1_024;
const KIND = 'ImageReview';
const DOMAIN = 'image-policy.orch.io';

/** Asks a webhook whether pods may run their images (kubernetes v1.27.16, plugin/pkg/admission/imagepolicy). */
export const imagePolicyWebhook: PluginMaker = ({ names, configuration, openReviews }) => {
  const { kubeConfigFile, allowTtlMs, denyTtlMs, retryBackoffMs, defaultAllow } = readImagePolicy(configuration);
  const verdicts = new VerdictCache<Verdict>({
    keptFor: ({ allowed }) => (allowed ? allowTtlMs : denyTtlMs),
    most: MOST_VERDICTS,
  });
  let webhook: ReviewCaller | undefined;
  const note = (attributes: Attributes, key: string, value: string) =>
    attributes.annotate(`imagepolicywebhook.${names.group(DOMAIN)}/${key}`, value);
  return {
    name: 'ImagePolicyWebhook',
    readsOnly: true,
    callsOut: true,
    handles: (target) => target.operation !== 'DELETE' && (isAboutPods(target) || isAboutEphemeral(target)),
    async validate(attributes) {
      const spec = specOf(names, attributes);
      let verdict: Verdict;
      try {
        verdict = await verdicts.of([JSON.stringify(spec)], () => asked(names, webhook, spec));
      } catch (error) {
        if (!defaultAllow) throw refusal(attributes, error instanceof Error ? error.message : String(error));
        note(attributes, 'failed-open', 'true');
        return;
      }
      for (const [key, value] of verdict.annotations) note(attributes, key, value);
      if (verdict.allowed) return;
      const why = 'image policy webhook backend denied one or more images';
      throw refusal(
        attributes,
        verdict.reason === '' ? 'one or more images rejected by webhook backend' : `${why}: ${verdict.reason}`,
      );
    },
    async start() {
      webhook = await openReviews(kubeConfigFile, { firstWaitMs: retryBackoffMs });
    },
    close: async () => webhook?.close(),
  };
};

const isAboutEphemeral = ({ group, resource, subresource }: Target): boolean =>
  resource === 'pods' && subresource === 'ephemeralcontainers' && group === '';

/** Returns the `spec` of the review; empty members are left out. */
function specOf(names: Names, attributes: Attributes): object {
  const { metadata, spec = {} } = podOf(attributes);
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec;
  const meant = isAboutEphemeral(attributes) ? ephemeralContainers : [...containers, ...initContainers];
  const domain = `.${names.group(DOMAIN)}/`;
  const annotations = Object.entries(metadata?.annotations ?? {})
    .filter(([key]) => key.includes(domain))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...(meant.length > 0 && { containers: meant.map(({ image = '' }) => (image === '' ? {} : { image })) }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    ...(attributes.namespace !== '' && { namespace: attributes.namespace }),
  };
}

/** Asks the webhook. @throws Error without an answer, or for one of another kind */
async function asked(names: Names, webhook: ReviewCaller | undefined, spec: object): Promise<Verdict> {
  if (!webhook) throw new Error('the image policy webhook is not open yet');
  const apiVersion = formatApiVersion({ group: names.group('imagepolicy.orch.io'), version: 'v1alpha1' });
  const metadata = { creationTimestamp: null };
  const answer = await webhook.ask({ kind: KIND, apiVersion, metadata, spec, status: { allowed: false } });
  if (answer.kind !== KIND || answer.apiVersion !== apiVersion)
    throw new Error(`the image policy webhook did not answer with an ${KIND} of ${apiVersion}`);
  const { allowed, reason, auditAnnotations } = membersIn(answer.status);
  const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string';
  return {
    allowed: allowed === true,
    reason: typeof reason === 'string' ? reason : '',
    annotations: Object.entries(membersIn(auditAnnotations)).filter(isText),
  };
}

const membersIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
