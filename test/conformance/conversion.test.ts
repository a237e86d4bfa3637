import { expect, test } from 'vitest';
import { conformance, expectRefusal, expectStatus, list, namesIn } from './conformance.js';

const autoscalers = (version: string, ns: string) =>
  `/apis/autoscaling/${version}/namespaces/${ns}/horizontalpodautoscalers`;

conformance('Conversion between served versions [Deprecation rules, 2]', ({ api, names, namespace }) => {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

  test('an autoscaler of v1 reads as v2, with its CPU percentage as a metric', async () => {
    const ns = await namespace();
    const spec = { scaleTargetRef, maxReplicas: 5, targetCPUUtilizationPercentage: 60 };
    const body = { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: { name: 'a' }, spec };
    const created = expectStatus(await api.post(autoscalers('v1', ns), body), 201).json();
    expect(created).toMatchObject({ apiVersion: 'autoscaling/v1', spec: { ...spec, minReplicas: 1 } });
    const read = expectStatus(await api.get(`${autoscalers('v2', ns)}/a`), 200).json();
    expect(read).toMatchObject({ apiVersion: 'autoscaling/v2', spec: { scaleTargetRef, minReplicas: 1 } });
    expect(read.spec.metrics).toEqual([
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
    ]);
    expect(read.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  });

  test('what v1 has no field for survives an update through v1: objects round-trip without loss', async () => {
    const ns = await namespace();
    const memory = {
      type: 'Resource',
      resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
    };
    const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    const spec = { scaleTargetRef, minReplicas: 2, maxReplicas: 5, metrics: [memory], behavior };
    const body = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'a' }, spec };
    const before = expectStatus(await api.post(autoscalers('v2', ns), body), 201).json();
    const old = expectStatus(await api.get(`${autoscalers('v1', ns)}/a`), 200).json();
    expect(old.spec).not.toHaveProperty('metrics');
    const changed = { ...old, spec: { ...old.spec, maxReplicas: 9 } };
    expectStatus(await api.put(`${autoscalers('v1', ns)}/a`, changed), 200);
    const after = expectStatus(await api.get(`${autoscalers('v2', ns)}/a`), 200).json();
    expect(after.spec).toEqual({ ...before.spec, maxReplicas: 9 });
    expect(after.metadata.annotations ?? {}).toEqual({});
  });

  test('a watch, a patch and a binary read speak the version of their path', async () => {
    const ns = await namespace();
    const body = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'a' },
      spec: { scaleTargetRef, maxReplicas: 5 },
    };
    const stream = await api.watch(`${autoscalers('v1', ns)}?watch=1`);
    expectStatus(await api.post(autoscalers('v2', ns), body), 201);
    expect((await stream.take(1))[0]).toMatchObject({ type: 'ADDED', object: { apiVersion: 'autoscaling/v1' } });
    const patch = { spec: { targetCPUUtilizationPercentage: 70 } };
    const patched = expectStatus(await api.patch(`${autoscalers('v1', ns)}/a`, 'merge', patch), 200).json();
    expect(patched.apiVersion).toBe('autoscaling/v1');
    expect((await stream.take(1))[0]?.object.spec.targetCPUUtilizationPercentage).toBe(70);
    stream.close();
    const binary = expectStatus(
      await api.get(`${autoscalers('v1', ns)}/a`, { accept: names.protobufMediaType }),
      200,
    ).body;
    expect(binary.includes('autoscaling/v1')).toBe(true);
    expect((await list(api, autoscalers('v2', ns))).items[0]?.spec.metrics[0].resource.target.averageUtilization).toBe(
      70,
    );
  });

  test('a body of another version of the group than the path says is refused', async () => {
    const ns = await namespace();
    const spec = { scaleTargetRef, maxReplicas: 5 };
    const body = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'a' }, spec };
    expectRefusal(await api.post(autoscalers('v1', ns), body), 400, 'BadRequest');
  });

  test('flow schemas are one set of objects in their two versions', async () => {
    const group = names.group('flowcontrol.apiserver.orch.io');
    const path = (version: string) => `/apis/${group}/${version}/prioritylevelconfigurations`;
    const metadata = { name: `level-${(await namespace()).slice(2)}` };
    const limited = { assuredConcurrencyShares: 7, limitResponse: { type: 'Reject' } };
    const body = {
      apiVersion: `${group}/v1beta2`,
      kind: 'PriorityLevelConfiguration',
      metadata,
      spec: { type: 'Limited', limited },
    };
    expectStatus(await api.post(path('v1beta2'), body), 201);
    const read = expectStatus(await api.get(`${path('v1beta3')}/${metadata.name}`), 200).json();
    expect(read.spec.limited.nominalConcurrencyShares).toBe(7);
    expect(read.spec.limited).not.toHaveProperty('assuredConcurrencyShares');
    expectStatus(await api.delete(`${path('v1beta3')}/${metadata.name}`), 200);
  });
});

conformance('Events in the core group and in their own [Recorded events]', ({ api, names, namespace }) => {
  const group = names.group('events.orch.io');
  const core = (ns: string) => `/api/v1/namespaces/${ns}/events`;
  const own = (ns: string) => `/apis/${group}/v1/namespaces/${ns}/events`;
  const coreEvent = (ns: string, name: string, about: string) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name },
    involvedObject: { kind: 'Pod', name: about, namespace: ns, apiVersion: 'v1' },
    reason: 'Started',
    message: 'it runs',
    type: 'Normal',
    count: 3,
    source: { component: 'agent' },
    firstTimestamp: '2024-01-02T03:04:05Z',
    lastTimestamp: '2024-01-02T03:04:06Z',
  });

  test('`regarding` replaces the involved object, and the old fields are renamed with a deprecated prefix', async () => {
    const ns = await namespace();
    expectStatus(await api.post(core(ns), coreEvent(ns, 'e', 'p')), 201);
    const read = expectStatus(await api.get(`${own(ns)}/e`), 200).json();
    expect(read).toMatchObject({
      apiVersion: `${group}/v1`,
      kind: 'Event',
      regarding: { kind: 'Pod', name: 'p', namespace: ns },
      note: 'it runs',
      deprecatedCount: 3,
      deprecatedSource: { component: 'agent' },
      deprecatedFirstTimestamp: '2024-01-02T03:04:05Z',
    });
    for (const gone of ['involvedObject', 'message', 'count', 'source']) expect(read).not.toHaveProperty(gone);
  });

  test('an event made in its own group reads in the core group, with its version and microseconds', async () => {
    const ns = await namespace();
    const body = {
      apiVersion: `${group}/v1`,
      kind: 'Event',
      metadata: { name: 'e' },
      eventTime: '2024-01-02T03:04:05.678901Z',
      regarding: { kind: 'Pod', name: 'p', namespace: ns },
      action: 'Binding',
      reason: 'Scheduled',
      reportingController: 'example.com/scheduler',
      reportingInstance: 'scheduler-1',
      note: 'it has a place',
      type: 'Normal',
    };
    const created = expectStatus(await api.post(own(ns), body), 201).json();
    const read = expectStatus(await api.get(`${core(ns)}/e`), 200).json();
    expect(read).toMatchObject({
      apiVersion: 'v1',
      involvedObject: { kind: 'Pod', name: 'p' },
      message: 'it has a place',
      reportingComponent: 'example.com/scheduler',
      eventTime: '2024-01-02T03:04:05.678901Z',
    });
    expect(read.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
    expect((await list(api, own(ns))).metadata.resourceVersion).toMatch(/^\d+$/);
    // Its own group lets only a series go on; the older one anything.
    const series = { count: 2, lastObservedTime: '2024-01-02T03:04:06.000000Z' };
    expectStatus(await api.patch(`${own(ns)}/e`, 'merge', { series }), 200);
    const refused = expectRefusal(await api.patch(`${own(ns)}/e`, 'merge', { note: 'x' }), 422, 'Invalid');
    expect(refused.details?.causes).toMatchObject([{ field: 'message' }]);
    expectStatus(await api.patch(`${core(ns)}/e`, 'merge', { message: 'x' }), 200);
    expectStatus(await api.delete(`${core(ns)}/e`), 200);
    expectRefusal(await api.get(`${own(ns)}/e`), 404, 'NotFound');
  });

  test('each group selects by the names that its fields have there', async () => {
    const ns = await namespace();
    for (const about of ['p', 'q']) expectStatus(await api.post(core(ns), coreEvent(ns, `e-${about}`, about)), 201);
    expect(namesIn(await list(api, `${core(ns)}?fieldSelector=involvedObject.name=p`))).toEqual(['e-p']);
    expect(namesIn(await list(api, `${own(ns)}?fieldSelector=regarding.name=q`))).toEqual(['e-q']);
    expect(namesIn(await list(api, `${own(ns)}?fieldSelector=reason=Started`))).toEqual(['e-p', 'e-q']);
    expectRefusal(await api.get(`${own(ns)}?fieldSelector=involvedObject.name=p`), 400, 'BadRequest');
    const stream = await api.watch(`${own(ns)}?watch=1&fieldSelector=regarding.name=q`);
    expect((await stream.take(1))[0]?.object.metadata.name).toBe('e-q');
    stream.close();
  });
});

conformance('Deprecated versions [Deprecation rules]', ({ api, names }) => {
  test('a request to one is counted with the release that removes it', async () => {
    const group = names.group('flowcontrol.apiserver.orch.io');
    expectStatus(await api.get(`/apis/${group}/v1beta2/flowschemas`), 200);
    const metrics = expectStatus(await api.get('/metrics'), 200).text.split('\n');
    const lines = metrics.filter((line) => line.startsWith('apiserver_requested_deprecated_apis{'));
    const ours = lines.find((line) => line.includes('resource="flowschemas"')) ?? '';
    expect(ours).toContain(`group="${group}"`);
    expect(ours).toContain('version="v1beta2"');
    expect(ours).toContain('removed_release="1.29"');
    expect(ours).toMatch(/ 1$/);
  });

  test('a write, a watch and a missing object of one warn too', async () => {
    const group = names.group('flowcontrol.apiserver.orch.io');
    const path = `/apis/${group}/v1beta2/flowschemas`;
    const missing = await api.get(`${path}/no-such`);
    expectRefusal(missing, 404, 'NotFound');
    expect(missing.warnings.join()).toContain('is deprecated in v1.26+');
    const message = await api.open('GET', `${path}?watch=1&timeoutSeconds=1`, {});
    expect(String(message.headers.warning)).toContain('is deprecated in v1.26+');
    message.destroy();
  });
});
