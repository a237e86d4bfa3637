import { authenticated } from '@orch/authentication';
import { type ApiObject, namesOf } from '@orch/machinery';
import { Metrics } from '@orch/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Attributes } from '../attributes.js';
import { attributesOf, pluginOf, refusalOf } from '../testing/asking.js';
import { TestObjects } from '../testing/known-objects.js';
import { ExistingPods } from './existing-pods.js';

const PREFIX = 'pod-security.kubernetes.io/';
const BAD: ApiObject = {
  metadata: { name: 'a' },
  spec: { hostNetwork: true, containers: [{ name: 'c', image: 'i' }] },
};
const DEPLOYMENT = { group: 'apps', resource: 'deployments', kind: 'Deployment' };
const FINDING = 'host namespaces (hostNetwork=true)';

let objects: TestObjects;
let metrics: Metrics;
let warnings: string[];
let notes: Record<string, string>;
beforeEach(() => {
  [objects, warnings, notes] = [new TestObjects(), [], {}];
});

/** Labels by the end of their names. */
const namespaceOf = (labels: Readonly<Record<string, string>>, name = 'default'): ApiObject => ({
  metadata: { name, labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [PREFIX + key, value])) },
});

/** Asks about a write in a namespace with labels. */
function ask(
  labels: Readonly<Record<string, string>>,
  changed: Partial<Attributes> = {},
  configuration?: object,
): Promise<string | undefined> {
  objects.put('', 'namespaces', namespaceOf(labels));
  metrics = new Metrics();
  const plugin = pluginOf('PodSecurity', { objects, metrics, configuration });
  return refusalOf(plugin, attributesFor(changed));
}

const attributesFor = (changed: Partial<Attributes>): Attributes =>
  attributesOf({
    object: BAD,
    warn: (text) => warnings.push(text),
    annotate: (key, value) => {
      notes[key.replace(PREFIX, '')] = value;
    },
    ...changed,
  });

const counted = async (name: string): Promise<string[]> =>
  (await metrics.text()).body.split('\n').filter((line) => line.startsWith(name));

const config = (members: object, version = 'v1') => ({
  apiVersion: `pod-security.admission.config.k8s.io/${version}`,
  kind: 'PodSecurityConfiguration',
  ...members,
});

describe('pods', () => {
  it('are refused by what is enforced, and that is noted', async () => {
    expect(await ask({ enforce: 'baseline' })).toBe(
      `pods "a" is forbidden: violates PodSecurity "baseline:latest": ${FINDING}`,
    );
    expect(notes).toEqual({ 'enforce-policy': 'baseline:latest' });
    expect(warnings).toEqual([]);
    expect(await counted('pod_security_evaluations_total')).toEqual([
      'pod_security_evaluations_total{decision="deny",policy_level="baseline",policy_version="latest",mode="enforce",request_operation="create",resource="pod",subresource=""} 1',
    ]);
  });

  it('are let in and noted by what is audited, and their client is warned', async () => {
    expect(await ask({ audit: 'baseline', 'audit-version': 'v1.99', warn: 'restricted' })).toBeUndefined();
    expect(notes).toEqual({
      'enforce-policy': 'privileged:latest',
      'audit-violations': `would violate PodSecurity "baseline:v1.99": ${FINDING}`,
    });
    expect(warnings).toEqual([
      `would violate PodSecurity "restricted:latest": ${FINDING}, allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`,
    ]);
    expect((await counted('pod_security_evaluations_total')).join()).toContain('policy_version="future",mode="audit"');
  });

  it('are all let in where labels say nothing', async () => {
    expect(await ask({})).toBeUndefined();
    expect(notes).toEqual({ 'enforce-policy': 'privileged:latest' });
  });

  it('are judged most strictly by labels that nobody can read', async () => {
    expect(await ask({ enforce: 'x', 'enforce-version': 'y' })).toContain('violates PodSecurity "restricted:latest"');
    expect(notes.error).toBe(
      `Failed to parse policy: [metadata.labels[${PREFIX}enforce]: Invalid value: "x": must be one of privileged, baseline, restricted, metadata.labels[${PREFIX}enforce-version]: Invalid value: "y": must be "latest" or "v1.x"]`,
    );
    expect(await counted('pod_security_errors_total')).toEqual([
      'pod_security_errors_total{fatal="false",request_operation="create",resource="pod",subresource=""} 1',
    ]);
  });

  it.each<[string, Partial<Attributes>, boolean]>([
    [
      'a new image',
      { object: { ...BAD, spec: { ...(BAD.spec as object), containers: [{ name: 'c', image: 'j' }] } } },
      true,
    ],
    ['a label', { object: { ...BAD, metadata: { name: 'a', labels: { a: 'b' } } } }, false],
    ['an ephemeral container', { subresource: 'ephemeralcontainers', object: withEphemeral('e') }, true],
    ['an image of one', { oldObject: withEphemeral('e'), object: withEphemeral('e', 'j') }, true],
    ['a label beside one', { oldObject: withEphemeral('e'), object: withEphemeral('e') }, false],
    ['a status', { subresource: 'status', object: withEphemeral('e') }, false],
    ['a binding', { subresource: 'binding', operation: 'CREATE' }, false],
  ])('that change by %s are judged again, or not', async (_, changed, isJudged) => {
    const refused = await ask({ enforce: 'baseline' }, { operation: 'UPDATE', oldObject: BAD, ...changed });
    expect(refused !== undefined).toBe(isJudged);
  });

  it('in a namespace that another process has just made are judged by it', async () => {
    const plugin = pluginOf('PodSecurity', {
      objects: Object.assign(new TestObjects(), { read: async () => namespaceOf({ enforce: 'baseline' }) }),
    });
    expect(await refusalOf(plugin, attributesFor({}))).toContain('violates');
  });

  it('in a namespace that nobody finds are refused', async () => {
    const plugin = pluginOf('PodSecurity', { objects });
    expect(await refusalOf(plugin, attributesFor({}))).toBe(
      'Internal error occurred: failed to lookup namespace "default"',
    );
  });

  it('have keys of the profile', async () => {
    objects.put('', 'namespaces', {
      metadata: { name: 'default', labels: { 'pod-security.orch.io/enforce': 'baseline' } },
    });
    const plugin = pluginOf('PodSecurity', { objects, names: namesOf('orch') });
    expect(await refusalOf(plugin, attributesFor({}))).toContain('violates');
  });
});

function withEphemeral(name: string, image = 'i'): ApiObject {
  return { ...BAD, spec: { ...(BAD.spec as object), ephemeralContainers: [{ name, image }] } };
}

describe('what pods are made from', () => {
  const object = { metadata: { name: 'a' }, spec: { template: { metadata: {}, spec: BAD.spec } } };

  it('is never refused; its client hears what will become of the pods', async () => {
    expect(await ask({ enforce: 'baseline' }, { ...DEPLOYMENT, object })).toBeUndefined();
    expect(warnings).toEqual([`would violate PodSecurity "baseline:latest": ${FINDING}`]);
    expect(notes).toEqual({});
  });

  it('is looked for in every kind that has it, through no subresource', async () => {
    const cron = { metadata: { name: 'a' }, spec: { jobTemplate: { spec: object.spec } } };
    await ask({ warn: 'baseline' }, { group: 'batch', resource: 'cronjobs', kind: 'CronJob', object: cron });
    await ask(
      { warn: 'baseline' },
      { group: '', resource: 'podtemplates', kind: 'PodTemplate', object: { template: object.spec.template } },
    );
    expect(warnings).toHaveLength(2);
    await ask({ warn: 'baseline' }, { ...DEPLOYMENT, subresource: 'scale', object });
    await ask({ warn: 'baseline' }, { ...DEPLOYMENT, group: 'example.com', object });
    await ask({ warn: 'baseline' }, { resource: 'replicationcontrollers', object: { spec: {} } });
    expect(warnings).toHaveLength(2);
  });
});

describe('configuration', () => {
  it.each(['v1', 'v1beta1', 'v1alpha1'])('of %s says what holds without labels', async (version) => {
    const defaults = { enforce: 'baseline', 'enforce-version': 'v1.20' };
    expect(await ask({}, {}, config({ defaults }, version))).toContain('"baseline:v1.20"');
  });

  it.each<[string, object, Partial<Attributes>]>([
    ['user', { usernames: ['jane'] }, {}],
    ['namespace', { namespaces: ['default'] }, {}],
    [
      'runtimeClass',
      { runtimeClasses: ['vm'] },
      { object: { ...BAD, spec: { ...(BAD.spec as object), runtimeClassName: 'vm' } } },
    ],
  ])('makes exempt by %s', async (reason, exemptions, changed) => {
    expect(await ask({ enforce: 'restricted' }, changed, config({ exemptions }))).toBeUndefined();
    expect(notes).toEqual({ exempt: reason });
    expect(await counted('pod_security_exemptions_total')).toEqual([
      'pod_security_exemptions_total{request_operation="create",resource="pod",subresource=""} 1',
    ]);
    const user = authenticated({ name: 'joe', groups: [], extra: {} }, 'token').user;
    if (reason === 'user') expect(await ask({ enforce: 'restricted' }, { user }, config({ exemptions }))).toBeDefined();
  });

  it.each<[object, string]>([
    [config({}, 'v99'), 'pod-security.admission.config.k8s.io/v99'],
    [{ apiVersion: 'pod-security.admission.config.k8s.io/v1' }, "'Kind' is missing"],
    [{ kind: 'PodSecurityConfiguration' }, "'apiVersion' is missing"],
    [config({ deflaults: {} }), 'unknown field "deflaults"'],
    [
      config({ defaults: { enforce: 'x' } }),
      'defaults.enforce: Invalid value: "x": must be one of privileged, baseline, restricted',
    ],
    [
      config({ exemptions: { usernames: [''] } }),
      'exemptions.usernames[0]: Invalid value: "": username must not be empty',
    ],
    [config({ exemptions: { namespaces: ['a', 'a'] } }), 'exemptions.namespaces[1]: Duplicate value: "a"'],
  ])('that is wrong is refused: %j', (configuration, message) => {
    expect(() => pluginOf('PodSecurity', { configuration })).toThrow(message);
  });
});

describe('namespaces', () => {
  const NAMESPACE = { resource: 'namespaces', kind: 'Namespace', namespace: 'default', name: 'default' };
  const pod = (name: string, owner?: string, spec: object = BAD.spec as object): ApiObject => ({
    metadata: {
      name,
      namespace: 'default',
      ...(owner !== undefined && {
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }],
      }),
    },
    spec,
  });
  const relabel = (
    from: Readonly<Record<string, string>>,
    to: Readonly<Record<string, string>>,
    configuration?: object,
  ) =>
    refusalOf(
      pluginOf('PodSecurity', { objects, configuration }),
      attributesFor({ ...NAMESPACE, operation: 'UPDATE', object: namespaceOf(to), oldObject: namespaceOf(from) }),
    );

  it('with labels that say nothing are refused, unless they were so before', async () => {
    const problem = `Namespace "default" is invalid: metadata.labels[${PREFIX}enforce]: Invalid value: "x": must be one of privileged, baseline, restricted`;
    expect(await ask({}, { ...NAMESPACE, object: namespaceOf({ enforce: 'x' }) })).toBe(problem);
    expect(await relabel({}, { enforce: 'x' })).toBe(problem);
    expect(await relabel({ enforce: 'x' }, { enforce: 'x' })).toBeUndefined();
  });

  it('that are to be stricter: of pods that are there is told which could not come again', async () => {
    objects.put('', 'pods', pod('c', 'rs'), pod('b', 'rs'), pod('a', 'rs'), pod('d'));
    objects.put(
      '',
      'pods',
      pod('e', undefined, { hostPID: true, containers: [{ name: 'c', securityContext: { privileged: true } }] }),
    );
    objects.put('', 'pods', pod('f', undefined, { containers: [] }));
    expect(await relabel({}, { enforce: 'baseline' })).toBeUndefined();
    expect(warnings).toEqual([
      'existing pods in namespace "default" violate the new PodSecurity enforce level "baseline:latest"',
      'a (and 3 other pods): host namespaces',
      'e: host namespaces, privileged',
    ]);
  });

  it('that are to be laxer, or stay as they are, are not looked into', async () => {
    objects.put('', 'pods', pod('a'));
    await relabel({ enforce: 'restricted' }, { enforce: 'baseline' });
    await relabel({ enforce: 'baseline' }, { enforce: 'baseline', audit: 'restricted' });
    await relabel({ enforce: 'baseline' }, { enforce: 'privileged' });
    expect(warnings).toEqual([]);
    await relabel({ enforce: 'baseline' }, { enforce: 'baseline', 'enforce-version': 'v1.0' });
    expect(warnings).toHaveLength(2);
  });

  /** What is told of pods on pages, by a clock that goes on by a millisecond whenever it is looked at. */
  const reportedOf = (until: number, ...pages: readonly (readonly ApiObject[])[]) => {
    let time = 0;
    const pods = new ExistingPods({
      ...{ names: namesOf('kubernetes'), namespace: 'default', exemptRuntimeClasses: new Set<string>(), until },
      enforce: { level: 'baseline', minor: 27 },
      now: () => time++,
    });
    return pods.warnings(
      (async function* () {
        yield* pages;
      })(),
    );
  };
  const replicas = (count: number) =>
    Array.from({ length: count }, (_, at) => pod(`a-${at}`, 'rs', { containers: [] }));
  const VIOLATE = 'existing pods in namespace "default" violate the new PodSecurity enforce level "baseline:v1.27"';

  it('of very many pods only some are looked at, one of each controller first', async () => {
    expect(await reportedOf(Number.POSITIVE_INFINITY, replicas(3_500), [pod('last')])).toEqual([
      'new PodSecurity enforce level only checked against the first 3000 of 3501 existing pods',
      VIOLATE,
      'last: host namespaces',
    ]);
  });

  it('are not looked into for longer than there is time', async () => {
    const single = Array.from({ length: 200 }, (_, at) => pod(`p-${at}`));
    expect(await reportedOf(0, single, single)).toEqual([
      'new PodSecurity enforce level only checked against the first 100 of at least 200 existing pods',
      VIOLATE,
      'p-0 (and 99 other pods): host namespaces',
    ]);
    expect(await reportedOf(0, [pod('a')])).toEqual([VIOLATE, 'a: host namespaces']);
  });

  it('whose pods cannot be listed are changed all the same', async () => {
    const failing = Object.assign(new TestObjects(), {
      // biome-ignore lint/correctness/useYield: it fails before
      list: async function* () {
        throw new Error('gone');
      },
    });
    const plugin = pluginOf('PodSecurity', { objects: failing });
    const changed = {
      operation: 'UPDATE' as const,
      object: namespaceOf({ enforce: 'baseline' }),
      oldObject: namespaceOf({}),
    };
    expect(await refusalOf(plugin, attributesFor({ ...NAMESPACE, ...changed }))).toBeUndefined();
    expect(warnings).toEqual(['failed to list pods while checking new PodSecurity enforce level']);
  });

  it('that are exempt: who labels them hears that it means nothing', async () => {
    const exempt = config({ exemptions: { namespaces: ['default'] } });
    await relabel({}, { enforce: 'baseline', warn: 'restricted', 'warn-version': 'v1.2' }, exempt);
    await ask({}, { ...NAMESPACE, object: namespaceOf({ audit: 'baseline' }) }, exempt);
    expect(warnings).toEqual([
      'namespace "default" is exempt from Pod Security, and the policy (enforce=baseline:latest, warn=restricted:v1.2) will be ignored',
      'namespace "default" is exempt from Pod Security, and the policy (audit=baseline:latest) will be ignored',
    ]);
  });
});
