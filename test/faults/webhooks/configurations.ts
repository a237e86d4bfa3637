import type { Api } from '../../support/api.js';
import { insist } from '../rights/insist.js';
import type { MoodyWebhook, Side } from './moody-webhook.js';
import { HELD, HOOKED } from './objects.js';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const KINDS = { mutate: 'MutatingWebhookConfiguration', validate: 'ValidatingWebhookConfiguration' } as const;
const CONFIG_MAPS = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['UPDATE'] };
const EVERYTHING = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] };
export const ALL = `${GROUP}/validatingwebhookconfigurations/all`;
/** Seconds. */
const TIMEOUT = 1;
/** Timeout in seconds, longer than anything else takes. */
const PATIENCE = 30;

export type FailurePolicy = 'Fail' | 'Ignore';

const called = (name: string, failurePolicy: FailurePolicy, timeoutSeconds: number) => ({
  name: `${name}.example.com`,
  ...{ failurePolicy, timeoutSeconds, sideEffects: 'None', admissionReviewVersions: ['v1'] },
});

/** Registers all webhooks that are asked about some objects only, by their label. */
export async function register(api: Api, webhook: MoodyWebhook): Promise<void> {
  for (const side of ['mutate', 'validate'] as const) {
    const about = (name: string, policy: FailurePolicy, timeout = TIMEOUT) => ({
      ...called(name, policy, timeout),
      clientConfig: webhook.clientConfig(`/${side}/${name}`),
      rules: [CONFIG_MAPS],
      objectSelector: { matchLabels: { [HOOKED]: name } },
    });
    const webhooks = [about('strict', 'Fail'), about('lenient', 'Ignore'), about(HELD, 'Fail', PATIENCE)];
    await made(api, side, { metadata: { name: 'some' }, webhooks });
  }
}

/** Registers one that is asked about everything, and is not there. */
export async function registerForAll(api: Api, webhook: MoodyWebhook): Promise<void> {
  await made(api, 'validate', forAll(webhook, 'Fail'));
}

/** Says what follows where the one for everything cannot be asked. */
export async function changeForAll(api: Api, webhook: MoodyWebhook, policy: FailurePolicy): Promise<void> {
  const { status, text } = await insist(() => api.patch(ALL, 'merge', forAll(webhook, policy)));
  if (status !== 200) throw new Error(`${status} ${text}`);
}

const forAll = (webhook: MoodyWebhook, policy: FailurePolicy) => ({
  metadata: { name: 'all' },
  webhooks: [
    { ...called('all', policy, TIMEOUT), clientConfig: webhook.clientConfig('/validate/all'), rules: [EVERYTHING] },
  ],
});

async function made(api: Api, side: Side, object: object): Promise<void> {
  const kind = KINDS[side];
  const { status, text } = await insist(() => api.post(`${GROUP}/${kind.toLowerCase()}s`, object));
  if (status !== 201) throw new Error(`${status} ${text}`);
}
