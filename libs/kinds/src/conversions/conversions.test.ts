import { type ApiObject, formatApiVersion, type NamingProfile, namesOf } from '@orch/machinery';
import { loadScheme, type ResourceDefinition } from '@orch/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Conversions } from './conversions.js';

const SEED = 20260101;
const PROFILES: readonly NamingProfile[] = ['orch', 'kubernetes'];

describe.each(PROFILES)('conversions of what is served, %s names', (profile) => {
  const names = namesOf(profile);
  const scheme = loadScheme(names);
  const definition = (group: string, version: string, plural: string): ResourceDefinition => {
    const found = scheme.resource(names.group(group), version, plural);
    if (!found) throw new Error(`no ${plural}`);
    return found;
  };
  const conversions = new Conversions(scheme);
  const convert = (from: ResourceDefinition, to: ResourceDefinition, object: ApiObject): ApiObject =>
    conversions.between(formatApiVersion(from), formatApiVersion(to), from.kind)(object);
  const v1 = definition('autoscaling', 'v1', 'horizontalpodautoscalers');
  const v2 = definition('autoscaling', 'v2', 'horizontalpodautoscalers');
  const autoscaler = (spec: object, rest: object = {}): ApiObject => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'a' },
    spec: { maxReplicas: 3, ...spec },
    ...rest,
  });
  const cpu = (averageUtilization: number) => ({
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
  });
  const metric = fc.oneof(
    fc.integer({ min: 1, max: 500 }).map(cpu),
    fc.string().map((name) => ({
      type: 'Pods',
      pods: { metric: { name }, target: { type: 'AverageValue', averageValue: '100m' } },
    })),
    fc.constant({
      type: 'Resource',
      resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 10 } },
    }),
    fc.constant({ type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '1' } } }),
  );

  it('says in later versions of bindings what the first means', () => {
    const group = names.group('admissionregistration.orch.io');
    const [alpha, beta, ga] = ['v1alpha1', 'v1beta1', 'v1'].map((version) =>
      definition('admissionregistration.orch.io', version, 'validatingadmissionpolicybindings'),
    ) as [ResourceDefinition, ResourceDefinition, ResourceDefinition];
    const object = (paramRef?: object): ApiObject =>
      ({
        apiVersion: `${group}/v1alpha1`,
        kind: alpha.kind,
        spec: { policyName: 'p', ...(paramRef && { paramRef }) },
      }) as ApiObject;
    const specOf = (to: ResourceDefinition, paramRef?: object) => convert(alpha, to, object(paramRef)).spec;
    for (const version of [beta, ga]) {
      expect(specOf(version)).toEqual({ policyName: 'p' });
      expect(specOf(version, { name: 'a' })).toMatchObject({
        paramRef: { name: 'a', parameterNotFoundAction: 'Deny' },
      });
      const allows = { selector: {}, parameterNotFoundAction: 'Allow' };
      expect(specOf(version, allows)).toMatchObject({ paramRef: allows });
      const back = convert(version, alpha, convert(alpha, version, object(allows)));
      expect(back).toEqual(object(allows));
    }
    expect(
      ['v1alpha1', 'v1beta1', 'v1'].map((version) => conversions.latest(`${group}/${version}`, alpha.kind)),
    ).toEqual(['v1alpha1', 'v1beta1', 'v1'].map((version) => `${group}/${version}`));
  });

  it('brings every autoscaler back from version 1', () => {
    fc.assert(
      fc.property(fc.array(metric, { minLength: 1, maxLength: 4 }), fc.boolean(), (metrics, behaves) => {
        const object = autoscaler(
          { metrics, ...(behaves && { behavior: { scaleDown: { selectPolicy: 'Max' } } }) },
          {
            status: { desiredReplicas: 1, conditions: [{ type: 'AbleToScale', status: 'True' }] },
          },
        );
        const before = structuredClone(object);
        expect(convert(v1, v2, convert(v2, v1, object))).toEqual(before);
        expect(object).toEqual(before);
      }),
      { seed: SEED },
    );
  });

  it.each(['\\', '"', '\n'])('brings the label %j of a metric back', (label) => {
    const named = { name: 'm', selector: { matchLabels: { a: 'x', [label]: 'y' } } };
    const external = { metric: named, target: { type: 'Value', value: '1' } };
    const object = autoscaler({ metrics: [{ type: 'External', external }] });
    expect(convert(v1, v2, convert(v2, v1, object))).toEqual(object);
  });

  it('shows the CPU target of a plain autoscaler as a field, with no annotation', () => {
    const converted = convert(v2, v1, autoscaler({ metrics: [cpu(70)] }));
    expect(converted).toEqual({
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'a' },
      spec: { maxReplicas: 3, targetCPUUtilizationPercentage: 70 },
    });
  });

  it('keeps in annotations what version 1 has no field for, as the reference writes it', () => {
    const memory = {
      type: 'Resource',
      resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
    };
    const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    const { metadata } = convert(v2, v1, autoscaler({ metrics: [memory], behavior }));
    const kept = (name: string) =>
      JSON.parse(metadata?.annotations?.[names.key(`autoscaling.alpha.orch.io/${name}`)] ?? '');
    expect(kept('metrics')).toEqual([{ type: 'Resource', resource: { name: 'memory', targetAverageValue: '1Gi' } }]);
    const down = { StabilizationWindowSeconds: 60, SelectPolicy: null, Policies: null };
    expect(kept('behavior')).toEqual({ ScaleUp: null, ScaleDown: down });
  });

  it('writes the members of a behavior in one order, whatever theirs was, and those that are not set as null', () => {
    const policies = [{ periodSeconds: 15, value: 4, type: 'Pods' }];
    const behavior = { scaleDown: { policies }, scaleUp: { selectPolicy: 'Max', stabilizationWindowSeconds: 0 } };
    const { metadata } = convert(v2, v1, autoscaler({ behavior }));
    expect(metadata?.annotations?.[names.key('autoscaling.alpha.orch.io/behavior')]).toBe(
      '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":null},' +
        '"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":null,"Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}]}}',
    );
    expect(convert(v1, v2, convert(v2, v1, autoscaler({ behavior }))).spec).toMatchObject({ behavior });
  });

  it('reads what an annotation holds in the form of version 2, as releases before wrote it', () => {
    const memory = {
      type: 'Resource',
      resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
    };
    const annotations = { [names.key('autoscaling.alpha.orch.io/metrics')]: JSON.stringify([memory]) };
    const object = { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: { annotations } };
    expect(convert(v1, v2, { ...object, spec: { maxReplicas: 1 } }).spec).toEqual({
      maxReplicas: 1,
      metrics: [memory],
    });
  });

  it('takes a change of the version 1 field into the list', () => {
    const other = {
      type: 'Resource',
      resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 10 } },
    };
    const object = convert(v2, v1, autoscaler({ metrics: [other, cpu(70)] }));
    Object(object.spec).targetCPUUtilizationPercentage = 55;
    expect(convert(v1, v2, object).spec).toEqual({ maxReplicas: 3, metrics: [other, cpu(55)] });
  });

  // What no client can read of one object keeps it from reading any list that holds the object.
  it.each([
    ['metrics', '{'],
    ['metrics', '[{"type":5}]'],
    ['metrics', '[{"type":"Pods","unknown":1}]'],
    ['metrics', '"x"'],
    ['metrics', 'null'],
    ['metrics', '[{"type":"Resource","resource":{"name":"cpu","targetAverageValue":"much"}}]'],
    ['metrics', '[{"type":"Resource","resource":{"name":"cpu","targetAverageUtilization":1099511627776}}]'],
    ['behavior', '{"ScaleUp":{"StabilizationWindowSeconds":1099511627776}}'],
    ['conditions', '[{"type":"AbleToScale","status":"True","lastTransitionTime":"yesterday"}]'],
    ['current-metrics', '[{"type":"Resource","resource":{"name":"cpu","currentAverageValue":"much"}}]'],
  ])('leaves the annotation %s alone that holds %s', (annotation, text) => {
    const key = names.key(`autoscaling.alpha.orch.io/${annotation}`);
    const object: ApiObject = {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'a', annotations: { [key]: text } },
      spec: { maxReplicas: 1 },
      status: { desiredReplicas: 1 },
    };
    const converted = convert(v1, v2, object);
    expect(converted).toEqual({ ...object, apiVersion: 'autoscaling/v2' });
  });

  it.each([
    ['metrics', '[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":-5}}]'],
    ['behavior', '{"ScaleDown":{"StabilizationWindowSeconds":1}}'],
    ['conditions', '[{"type":"AbleToScale","status":"True"}]'],
  ])('takes an annotation %s of version 2 for no field of it, there and back', (annotation, text) => {
    const annotations = { [names.key(`autoscaling.alpha.orch.io/${annotation}`)]: text, kept: 'x' };
    const object = { ...autoscaler({ metrics: [cpu(70)] }), metadata: { name: 'a', annotations } };
    const plain = { ...object, metadata: { name: 'a', annotations: { kept: 'x' } } };
    expect(convert(v1, v2, convert(v2, v1, { ...object, status: {} }))).toEqual({ ...plain, status: {} });
    if (annotation !== 'behavior') return;
    const beta = conversions.between('autoscaling/v2', 'autoscaling/v2beta1', object.kind ?? '');
    expect(conversions.between('autoscaling/v2beta1', 'autoscaling/v2', object.kind ?? '')(beta(object))).toEqual(
      plain,
    );
  });

  it('makes nothing of what is no metric in a manifest of a version that nobody reads any more', () => {
    const object = { ...autoscaler({ metrics: [null, 1] }), apiVersion: 'autoscaling/v2beta1' };
    expect(conversions.manifest(object, 'autoscaling/v1').spec).toEqual({ maxReplicas: 3 });
  });

  it('reads numbers for quantities in an annotation, as the reference does', () => {
    const key = names.key('autoscaling.alpha.orch.io/metrics');
    const text = '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":1}}]';
    const object = { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', spec: { maxReplicas: 1 } };
    const { metadata, spec } = convert(v1, v2, { ...object, metadata: { name: 'a', annotations: { [key]: text } } });
    const target = { type: 'AverageValue', averageValue: '1' };
    expect(metadata).toEqual({ name: 'a' });
    expect(spec).toEqual({ maxReplicas: 1, metrics: [{ type: 'Resource', resource: { name: 'memory', target } }] });
  });

  it('renames the fields of events, both ways', () => {
    const core = definition('', 'v1', 'events');
    const events = definition('events.orch.io', 'v1', 'events');
    const object: ApiObject = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod' },
      message: 'm',
      source: { component: 'c' },
      count: 2,
      firstTimestamp: '2026-01-01T00:00:00Z',
      reportingComponent: 'r',
    };
    const converted = convert(core, events, object);
    expect(converted).toEqual({
      apiVersion: `${names.group('events.orch.io')}/v1`,
      kind: 'Event',
      metadata: { name: 'e' },
      regarding: { kind: 'Pod' },
      note: 'm',
      deprecatedSource: { component: 'c' },
      deprecatedCount: 2,
      deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
      reportingController: 'r',
    });
    expect(Object.keys(converted).filter((field) => !events.schema.fields.has(field))).toEqual([]);
    expect(convert(events, core, converted)).toEqual(object);
  });

  it('renames the shares of priority levels, both ways', () => {
    const early = definition('flowcontrol.apiserver.orch.io', 'v1beta2', 'prioritylevelconfigurations');
    const late = definition('flowcontrol.apiserver.orch.io', 'v1beta3', 'prioritylevelconfigurations');
    const object: ApiObject = {
      apiVersion: `${early.group}/v1beta2`,
      kind: early.kind,
      spec: { type: 'Limited', limited: { assuredConcurrencyShares: 5, lendablePercent: 0 } },
    };
    const converted = convert(early, late, object);
    expect(converted.spec).toEqual({ type: 'Limited', limited: { nominalConcurrencyShares: 5, lendablePercent: 0 } });
    expect(convert(late, early, converted)).toEqual(object);
  });
});
