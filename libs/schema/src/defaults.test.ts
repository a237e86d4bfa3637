import { namesOf } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { applyDefaults } from './defaults.js';
import type { Field, StructSchema } from './model.js';
import { loadScheme } from './scheme.js';

const scheme = loadScheme(namesOf('orch'));

function defaulted(id: string, object: object): Record<string, unknown> {
  applyDefaults(scheme.struct(id), object);
  return object as Record<string, unknown>;
}

describe('applyDefaults', () => {
  it('fills in a pod, with what holds only for pods', () => {
    const pod = defaulted('core/v1.Pod', {
      spec: { containers: [{ name: 'c', ports: [{ containerPort: 1 }], livenessProbe: { httpGet: { port: 1 } } }] },
    });
    expect(pod.spec).toMatchObject({
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      terminationGracePeriodSeconds: 30,
      schedulerName: 'default-scheduler',
      securityContext: {},
      enableServiceLinks: true,
      containers: [
        {
          terminationMessagePath: '/dev/termination-log',
          ports: [{ protocol: 'TCP' }],
          livenessProbe: { httpGet: { path: '/', scheme: 'HTTP' } },
        },
      ],
    });
    const template = defaulted('core/v1.PodTemplateSpec', { spec: { containers: [] } });
    expect(template.spec).toMatchObject({ restartPolicy: 'Always' });
    expect(template.spec).not.toHaveProperty('enableServiceLinks');
  });

  it('goes into inlined structs, lists and maps', () => {
    expect(defaulted('core/v1.Volume', { name: 'v', secret: {} })).toEqual({ name: 'v', secret: { defaultMode: 420 } });
    const webhook = defaulted('admissionregistration/v1.ValidatingWebhookConfiguration', {
      webhooks: [{ rules: [{ apiGroups: [''] }] }],
    });
    expect(webhook.webhooks).toMatchObject([
      { failurePolicy: 'Fail', timeoutSeconds: 10, namespaceSelector: {}, rules: [{ scope: '*' }] },
    ]);
  });

  it('makes structs that are no pointers, and leaves absent pointers alone', () => {
    expect(defaulted('batch/v1.CronJob', {})).toMatchObject({ spec: { concurrencyPolicy: 'Allow', suspend: false } });
    expect(defaulted('apps/v1.Deployment', {})).toMatchObject({
      spec: { replicas: 1, strategy: { type: 'RollingUpdate' } },
    });
    expect(defaulted('core/v1.Container', {})).not.toHaveProperty('livenessProbe');
  });

  it('keeps what is set, and tells zero from unset only for pointers', () => {
    const port = defaulted('core/v1.ServicePort', { protocol: 'UDP' });
    expect(port.protocol).toBe('UDP');
    expect(defaulted('core/v1.ServicePort', { protocol: '' }).protocol).toBe('TCP');
    expect(defaulted('apps/v1.Deployment', { spec: { replicas: 0 } })).toMatchObject({ spec: { replicas: 0 } });
    expect(defaulted('apps/v1.Deployment', { spec: { replicas: null } })).toMatchObject({ spec: { replicas: 1 } });
  });

  it('gives every object values of its own', () => {
    const a = defaulted('core/v1.PodSpec', {});
    const b = defaulted('core/v1.PodSpec', {});
    expect(a.securityContext).toEqual({});
    expect(a.securityContext).not.toBe(b.securityContext);
  });

  it('changes nothing the second time', () => {
    for (const { schema } of scheme.resources) {
      const once = {};
      applyDefaults(schema, once);
      const twice = structuredClone(once);
      applyDefaults(schema, twice);
      expect(twice, schema.id).toEqual(once);
    }
  });

  it('rounds amounts of resources up to thousandths, wherever they stand', () => {
    const amounts = { a: '1000500u', b: '1n', c: '-1u', d: '1500m', e: '1Gi', f: '2e-6' };
    const rounded = { a: '1001m', b: '1m', c: '-1m', d: '1500m', e: '1Gi', f: '1e-3' };
    expect(defaulted('core/v1.ResourceQuotaSpec', { hard: { ...amounts } }).hard).toEqual(rounded);
    const spec = { containers: [{ resources: { limits: { ...amounts } } }] };
    expect(defaulted('core/v1.PodSpec', spec)).toMatchObject({ containers: [{ resources: { limits: rounded } }] });
    const metric = { target: { averageValue: '1n' } };
    expect(defaulted('autoscaling/v2.PodsMetricSource', structuredClone(metric))).toEqual(metric);
  });

  it('leaves values of the wrong type to validation', () => {
    const wrong = { spec: 'x', status: [], metadata: 5 };
    expect(defaulted('core/v1.Pod', { ...wrong })).toMatchObject({ spec: 'x' });
  });

  it('follows structs that hold themselves', () => {
    const fields = new Map<string, Field>();
    const node: StructSchema = { kind: 'struct', id: 'test/v1.Node', openapi: '', description: '', fields };
    const base = { description: '', required: false, omitEmpty: true };
    fields.set('color', { ...base, name: 'color', schema: { kind: 'string' }, pointer: false, default: 'red' });
    fields.set('next', { ...base, name: 'next', schema: node, pointer: true });
    const list = { next: { next: {} } };
    applyDefaults(node, list);
    expect(list).toEqual({ color: 'red', next: { color: 'red', next: { color: 'red' } } });
  });
});
