import type { ApiObject } from '@orch/machinery';
import type { Toleration } from '@orch/schema/types/core/v1';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Attributes } from '../../attributes.js';
import { attributesOf, pluginOf, refusalOf } from '../../testing/asking.js';
import { TestObjects } from '../../testing/known-objects.js';

const FORBIDDEN = 'pods "a" is forbidden:';
const podWith = (spec: object): ApiObject & { spec: Record<string, unknown> } => ({
  metadata: { name: 'a' },
  spec: { ...spec },
});
let objects: TestObjects;
beforeEach(() => {
  objects = new TestObjects();
});
const annotate = (annotations: Record<string, string>) =>
  objects.put('', 'namespaces', { metadata: { name: 'default', annotations } });

/** Asks whether the creation of a pod passes. */
const ask = (plugin: string, object: ApiObject, changed: Partial<Attributes> = {}, configuration?: object) =>
  refusalOf(pluginOf(plugin, { objects, configuration }), attributesOf({ object, ...changed }));

describe('AlwaysPullImages', () => {
  const container = { name: 'c', image: 'i', imagePullPolicy: 'IfNotPresent' };
  const pod = () => podWith({ initContainers: [{ ...container }], containers: [{ ...container }] });

  it('lets every container of a new pod pull', async () => {
    const made = pod();
    expect(await ask('AlwaysPullImages', made)).toBeUndefined();
    expect(JSON.stringify(made)).not.toContain('IfNotPresent');
    expect(JSON.stringify(made).match(/Always/g)).toHaveLength(2);
  });

  it('leaves pods alone whose images stay', async () => {
    const made = pod();
    await ask('AlwaysPullImages', made, { operation: 'UPDATE', oldObject: pod() });
    expect(made).toEqual(pod());
  });

  it('refuses what somebody behind it has changed', () => {
    const plugin = pluginOf('AlwaysPullImages');
    const what = (at: string) =>
      `${FORBIDDEN} spec.${at}[0].imagePullPolicy: Unsupported value: "IfNotPresent": supported values: "Always"`;
    expect(() => plugin.validate?.(attributesOf({ object: pod() }))).toThrow(
      `[${what('initContainers')}, ${what('containers')}]`,
    );
    expect(() => plugin.validate?.(attributesOf({ object: podWith({ containers: [container] }) }))).toThrow(
      expect.objectContaining({ code: 500, message: what('containers') }),
    );
  });
});

describe('LimitPodHardAntiAffinityTopology', () => {
  it.each<[string, string | undefined]>([
    ['kubernetes.io/hostname', undefined],
    [
      'zone',
      `${FORBIDDEN} affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed`,
    ],
  ])('of pods that stay away from others by %s', async (topologyKey, refused) => {
    const requiredDuringSchedulingIgnoredDuringExecution = [{ topologyKey }];
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution } };
    expect(await ask('LimitPodHardAntiAffinityTopology', podWith({ affinity }))).toBe(refused);
  });
});

describe('SecurityContextDeny', () => {
  it.each<[object, string]>([
    [{ securityContext: { supplementalGroups: [1] } }, 'pod.Spec.SecurityContext.SupplementalGroups'],
    [{ securityContext: { seLinuxOptions: {} } }, 'pod.Spec.SecurityContext.SELinuxOptions'],
    [{ securityContext: { runAsUser: 0 } }, 'pod.Spec.SecurityContext.RunAsUser'],
    [{ securityContext: { fsGroup: 1 } }, 'pod.Spec.SecurityContext.FSGroup'],
    [{ initContainers: [{ securityContext: { seLinuxOptions: {} } }] }, 'SecurityContext.SELinuxOptions'],
    [{ containers: [{}, { securityContext: { runAsUser: 1 } }] }, 'SecurityContext.RunAsUser'],
  ])('refuses %j', async (spec, what) => {
    expect(await ask('SecurityContextDeny', podWith(spec))).toBe(`${FORBIDDEN} ${what} is forbidden`);
  });

  it('needs its gate, and lets others in', async () => {
    expect(await ask('SecurityContextDeny', podWith({ securityContext: { runAsNonRoot: true } }))).toBeUndefined();
    expect(() => pluginOf('SecurityContextDeny', { isEnabled: () => false })).toThrow(
      'requires the SecurityContextDeny',
    );
  });
});

describe('ExtendedResourceToleration', () => {
  it('tolerates the taints of resources that are not the system’s own', async () => {
    const requests = { cpu: '1', 'kubernetes.io/x': '1', 'b.com/gpu': '1', 'requests.c.com/d': '1' };
    const kept: Toleration = { key: 'a.com/gpu', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 1 };
    const pod = podWith({
      containers: [{ resources: { requests } }],
      initContainers: [{ resources: { requests: { 'a.com/gpu': '1' } } }],
      tolerations: [kept],
    });
    await ask('ExtendedResourceToleration', pod);
    const { tolerationSeconds: _, ...plain } = kept;
    expect(pod.spec.tolerations).toEqual([plain, { ...plain, key: 'b.com/gpu' }]);
  });
});

describe('PodNodeSelector', () => {
  const KEY = 'scheduler.alpha.kubernetes.io/node-selector';
  const configured = (selectors: object) => ({ podNodeSelectorPluginConfig: selectors });

  it('puts the selector of the namespace, or that of all, into new pods', async () => {
    const pod = podWith({ nodeSelector: { c: 'd' } });
    annotate({ [KEY]: 'a=b, e=' });
    expect(await ask('PodNodeSelector', pod, {}, configured({ clusterDefaultNodeSelector: 'x=y' }))).toBeUndefined();
    expect(pod.spec.nodeSelector).toEqual({ a: 'b', e: '', c: 'd' });
    annotate({});
    const other = podWith({});
    await ask('PodNodeSelector', other, {}, configured({ clusterDefaultNodeSelector: 'x=y' }));
    expect(other.spec.nodeSelector).toEqual({ x: 'y' });
    const bare = podWith({});
    await ask('PodNodeSelector', bare);
    expect(bare).toEqual(podWith({}));
  });

  it.each<[string, object, object, string]>([
    ['a=b', { a: 'c' }, {}, `${FORBIDDEN} pod node label selector conflicts with its namespace node label selector`],
    [
      '',
      { a: 'c' },
      { default: 'a=b' },
      `${FORBIDDEN} pod node label selector labels conflict with its namespace whitelist`,
    ],
    [
      '',
      { b: 'c' },
      { default: 'a=b' },
      `${FORBIDDEN} pod node label selector labels conflict with its namespace whitelist`,
    ],
    ['a', {}, {}, 'invalid selector: [a]'],
    ['a=b=c', {}, {}, 'invalid selector: [a b c]'],
  ])('refuses: %s and %j under %j', async (annotation, nodeSelector, selectors, message) => {
    annotate({ [KEY]: annotation });
    expect(await ask('PodNodeSelector', podWith({ nodeSelector }), {}, configured(selectors))).toBe(message);
  });

  it('needs a namespace that is there', async () => {
    expect(await ask('PodNodeSelector', podWith({}))).toBe('namespaces "default" not found');
  });
});

describe('PodTolerationRestriction', () => {
  const [DEFAULTS, ALLOWED] = ['defaultTolerations', 'tolerationsWhitelist'].map(
    (name) => `scheduler.alpha.kubernetes.io/${name}`,
  ) as [string, string];
  const one = (key: string): Toleration => ({ key, operator: 'Exists', effect: 'NoExecute' });
  const config = (members: object) => ({
    apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
    kind: 'Configuration',
    ...members,
  });

  it.each<[string, Record<string, string>, object | undefined, readonly string[]]>([
    ['its namespace', { [DEFAULTS]: JSON.stringify([one('n')]) }, { default: [one('c')] }, ['n']],
    ['all', {}, { default: [one('c')] }, ['c']],
    ['nobody where the namespace says so', { [DEFAULTS]: '' }, { default: [one('c')] }, []],
    ['nobody', {}, undefined, []],
  ])('gives new pods the defaults of %s', async (_, annotations, members, keys) => {
    annotate(annotations);
    const pod = podWith({});
    expect(await ask('PodTolerationRestriction', pod, {}, members && config(members))).toBeUndefined();
    expect(((pod.spec.tolerations ?? []) as Toleration[]).map(({ key }) => key)).toEqual(keys);
  });

  it.each<[string, object | null, object | string]>([
    [
      'members that are unknown or null',
      { key: 'k', operator: 'Exists', value: null, more: 1 },
      { key: 'k', operator: 'Exists' },
    ],
    ['null', null, {}],
    ['a key that is none', { key: { a: 1 } }, 'json: cannot unmarshal {"a":1} into key of a toleration'],
    [
      'a text for a number',
      { tolerationSeconds: '1' },
      'json: cannot unmarshal "1" into tolerationSeconds of a toleration',
    ],
    ['half seconds', { tolerationSeconds: 1.5 }, 'json: cannot unmarshal 1.5 into tolerationSeconds of a toleration'],
  ])('gives pods nothing that they cannot have: %s', async (_, said, wanted) => {
    annotate({ [DEFAULTS]: JSON.stringify([said]) });
    const pod = podWith({});
    const refused = await ask('PodTolerationRestriction', pod);
    expect(refused ?? ((pod.spec.tolerations ?? []) as Toleration[])[0]).toEqual(wanted);
    const configuration = config({ default: [{ ...said, operator: 7 }] });
    expect(() => pluginOf('PodTolerationRestriction', { configuration })).toThrow(/^cannot unmarshal /);
  });

  it('lets pods that ask for memory stay where it is short', async () => {
    annotate({});
    const pod = podWith({ containers: [{ resources: { requests: { memory: '1Mi' } } }] });
    await ask('PodTolerationRestriction', pod, { operation: 'UPDATE' });
    const key = 'node.kubernetes.io/memory-pressure';
    expect(pod.spec.tolerations).toEqual([{ key, operator: 'Exists', effect: 'NoSchedule' }]);
  });

  it.each<[string, Record<string, string>, object, string | undefined]>([
    ['its namespace', { [ALLOWED]: JSON.stringify([one('n')]) }, {}, 'namespace'],
    ['all', {}, { whitelist: [one('n')] }, 'cluster'],
    ['nobody where the namespace says so', { [ALLOWED]: '[]' }, { whitelist: [one('n')] }, undefined],
  ])('refuses what is not on the list of %s', async (_, annotations, members, scope) => {
    annotate(annotations);
    const what = 'pod tolerations (possibly merged with namespace default tolerations) conflict with its';
    const refused = scope === undefined ? undefined : `${what} ${scope} whitelist`;
    expect(await ask('PodTolerationRestriction', podWith({ tolerations: [one('x')] }), {}, config(members))).toBe(
      refused,
    );
    expect(
      await ask('PodTolerationRestriction', podWith({ tolerations: [one('n')] }), {}, config(members)),
    ).toBeUndefined();
  });

  it('does not start with what is no toleration', () => {
    const configuration = config({ default: [{ operator: 'Equal' }] });
    expect(() => pluginOf('PodTolerationRestriction', { configuration })).toThrow(
      'podtolerationrestriction.default[0]: operator must be Exists when `key` is empty',
    );
  });
});
