import { setTimeout as pause } from 'node:timers/promises';
import type { Api } from '../support/api.js';
import type { Outside } from './outside.js';

const ROUND_MS = 250;
const GROUP = 'sight.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
const widgets = (version: string) => `/apis/${GROUP}/${version}/namespaces/default/widgets`;

const POD_TEMPLATE = {
  metadata: { generateName: 'a-' },
  template: { metadata: { labels: { a: 'a' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
};

/** Names a resource whose creation a webhook is asked about. */
const creationOf = (apiGroup: string, resource: string) => ({
  apiGroups: [apiGroup],
  apiVersions: ['*'],
  operations: ['CREATE'],
  resources: [resource],
});

/** Registers webhooks and a custom kind that one of them converts. */
export async function registerWebhooks(api: Api, outside: Outside): Promise<void> {
  const webhook = (name: string, path: string, failurePolicy: 'Fail' | 'Ignore', rule: object) => ({
    name: `${name}.${GROUP}`,
    clientConfig: outside.clientConfig(path),
    ...{ failurePolicy, rules: [rule] },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 3,
  });
  await made(api, HOOKS, {
    metadata: { name: 'sight' },
    webhooks: [
      webhook('fails', 'judge', 'Fail', creationOf('', 'podtemplates')),
      webhook('open', 'judge', 'Ignore', creationOf('coordination.k8s.io', 'leases')),
      webhook('hangs', 'hang', 'Ignore', creationOf('', 'limitranges')),
    ],
  });
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const version = (name: string, storage: boolean) => ({ ...{ name, storage, schema }, served: true });
  await made(api, DEFINITIONS, {
    metadata: { name: `widgets.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [version('v1', true), version('v2', false)],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: outside.clientConfig('convert'), conversionReviewVersions: ['v1'] },
      },
    },
  });
}

async function made(api: Api, path: string, object: object): Promise<void> {
  const { status, text } = await api.post(path, object);
  if (status !== 201) throw new Error(`${path}: ${status} ${text}`);
}

/** Asks for everything that needs somebody outside, again and again, whatever becomes of it. */
export class Askers {
  #running = true;
  #asked = 0;
  readonly #ended: Promise<unknown>;

  constructor(private readonly api: Api) {
    const rounds = [
      () => api.get('/api', { authorization: `Bearer unknown-${this.#asked++}` }),
      () => api.post('/api/v1/namespaces/default/podtemplates?dryRun=All', POD_TEMPLATE),
      () =>
        api.post('/apis/coordination.k8s.io/v1/namespaces/default/leases?dryRun=All', {
          metadata: { generateName: 'a-' },
        }),
      // Begun at all times, so that at any time some have hung for long.
      async () => void this.#limitRange(''),
      async () => void this.#limitRange('&timeout=1s'),
      () => this.#widget(),
      () => this.#binding(),
    ];
    this.#ended = Promise.all(rounds.map((round) => this.again(round)));
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#ended;
  }

  /** Repeats something until all of it is stopped, or a signal ends it. */
  async again(work: () => Promise<unknown>, signal?: AbortSignal): Promise<void> {
    while (this.#running && !signal?.aborted) {
      await work().catch(() => undefined);
      await pause(ROUND_MS);
    }
  }

  /** Asked about by a webhook that may hang. */
  async #limitRange(query: string): Promise<void> {
    const limits = [{ type: 'Container', max: { cpu: '1' } }];
    const asked = this.api.post(`/api/v1/namespaces/default/limitranges?dryRun=All${query}`, {
      metadata: { generateName: 'a-' },
      spec: { limits },
    });
    await asked.catch(() => undefined);
  }

  /** Written in one version and read in another. */
  async #widget(): Promise<void> {
    await this.api.post(widgets('v1'), {
      apiVersion: `${GROUP}/v1`,
      kind: 'Widget',
      metadata: { name: `w-${this.#asked++ % 20}` },
    });
    await this.api.get(`${widgets('v2')}/w-0`);
  }

  /** Encrypted, and gone by by all servers. */
  #binding(): Promise<unknown> {
    return this.api.post(BINDINGS, {
      metadata: { generateName: 'sight-' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [],
    });
  }
}
