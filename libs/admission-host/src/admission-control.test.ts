import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuthorizationOptions } from '@orch/access';
import { type AdmissionPlugin, isNeeded, type PluginContext } from '@orch/admission';
import { attributesOf, targetOf } from '@orch/admission/testing';
import { namesOf } from '@orch/machinery';
import { Metrics } from '@orch/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPluginConfigurations } from './admission-configuration.js';
import { AdmissionControl } from './admission-control.js';
import { admissionMetrics } from './admission-metrics.js';
import type { AdmissionOptions } from './admission-options.js';
import { AdmissionWebhooks } from './admission-webhooks.js';
import { webhookMetrics } from './webhook-metrics.js';

const OPTIONS: AdmissionOptions & Pick<AuthorizationOptions, 'authorizationMode'> = {
  authorizationMode: ['RBAC'],
  enableAdmissionPlugins: [],
  disableAdmissionPlugins: [],
  admissionControlConfigFile: undefined,
  defaultNotReadyTolerationSeconds: 300,
  defaultUnreachableTolerationSeconds: 300,
  rootCaFile: undefined,
};
const metrics = new Metrics();
const observer = admissionMetrics(metrics);
const webhooks = new AdmissionWebhooks({
  observer: webhookMetrics(metrics),
  mostHangingCalls: 50,
  exempt: { namespaces: new Set(), groups: new Set() },
});
const services = {
  metrics,
  servedAs: () => [],
  openReviews: () => Promise.reject(new Error('no webhooks are opened')),
  sharedRates: undefined,
} satisfies Partial<PluginContext>;

const open = (options: Partial<AdmissionOptions> = {}) =>
  AdmissionControl.open({
    names: namesOf('kubernetes'),
    isEnabled: () => true,
    options: { ...OPTIONS, ...options },
    webhooks: (configuration) => webhooks.for(configuration),
    policies: webhooks.forPolicies(),
    logger: { warn: (text) => void warnings.push(text) },
    observer,
    // Each has metrics of its own.
    services: { ...services, metrics: new Metrics() },
  });
const warnings: string[] = [];
const namesIn = async (options?: Partial<AdmissionOptions>) => (await open(options)).plugins.map(({ name }) => name);

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'admission-'));
});
afterAll(() => rm(dir, { recursive: true }));

const file = async (name: string, text: string) => {
  await writeFile(join(dir, name), text);
  return join(dir, name);
};
const HEAD = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';

describe('the plugins of a process', () => {
  it('are those that options leave', async () => {
    expect(await namesIn()).toContain('Priority');
    expect(await namesIn({ disableAdmissionPlugins: ['Priority'] })).not.toContain('Priority');
  });

  it('tell whoever names one that means nothing any more', async () => {
    expect(await namesIn({ enableAdmissionPlugins: ['AlwaysAdmit'] })).toContain('AlwaysAdmit');
    expect(warnings).toEqual([
      'AlwaysAdmit admission controller is deprecated. Please remove this controller from your configuration files and scripts.',
    ]);
  });

  it('refuse the start where there is no such', async () => {
    await expect(open({ enableAdmissionPlugins: ['A'], disableAdmissionPlugins: ['B'] })).rejects.toThrow(
      'enable-admission-plugins plugin "A" is unknown; disable-admission-plugins plugin "B" is unknown',
    );
  });

  it.each([
    ['quotas', 'ResourceQuota'],
    ['accounts', 'ServiceAccount'],
    ['priorities', 'Priority'],
  ] as const)('need %s where %s is on', async (need, name) => {
    expect(isNeeded((await open()).plugins, need)).toBe(true);
    expect(isNeeded((await open({ disableAdmissionPlugins: [name] })).plugins, need)).toBe(false);
  });

  it('are told how long they take, where they are asked', async () => {
    const { plugins } = await open();
    const taint = plugins.find(({ name }) => name === 'TaintNodesByCondition') as AdmissionPlugin;
    expect(taint.handles(targetOf({ resource: 'nodes' }))).toBe(true);
    expect(taint.validate).toBeUndefined();
    await taint.admit?.(attributesOf({ object: { spec: {} } }));
    expect((await metrics.text()).body).toContain(
      'apiserver_admission_controller_admission_duration_seconds_count{name="TaintNodesByCondition",type="admit",operation="CREATE",rejected="false"} 1',
    );
  });
});

describe('what plugins are configured with', () => {
  it('stands in the file, or in files beside it', async () => {
    await file('other.yaml', 'a: 1\n');
    const plugins =
      'plugins:\n- name: Priority\n  path: other.yaml\n- name: LimitRanger\n  configuration: {b: 2}\n- name: RuntimeClass\n  path: gone.yaml\n';
    const read = await readPluginConfigurations(
      await file('whole.yaml', HEAD + plugins),
      (name) => name !== 'RuntimeClass',
    );
    expect([...read].sort()).toEqual([
      ['LimitRanger', { b: 2 }],
      ['Priority', { a: 1 }],
    ]);
    expect(await readPluginConfigurations(undefined, () => true)).toEqual(new Map());
  });

  it.each([
    ['that is not there', undefined, /--admission-control-config-file .*x\.yaml: ENOENT/],
    [
      'that says something else',
      'kind: Pod',
      /--admission-control-config-file .*x\.yaml: kind must be AdmissionConfiguration/,
    ],
    ['that names one that is not there', `${HEAD}plugins: [{name: Priority, path: gone.yaml}]`, /gone\.yaml: ENOENT/],
  ])('refuses the start: a file %s', async (_, text, problem) => {
    const path = text === undefined ? join(dir, 'x.yaml') : await file('x.yaml', text);
    await expect(open({ admissionControlConfigFile: path })).rejects.toThrow(problem);
    await rm(path, { force: true });
  });
});
