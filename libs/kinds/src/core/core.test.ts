import { type ApiObject, namesOf } from '@orch/machinery';
import { applyDefaults, loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { kindRules } from '../registry/registry.js';
import type { KindRules } from '../rules/kind-rules.js';
import { through } from '../testing/through.js';

const names = namesOf('kubernetes');
const scheme = loadScheme(names);

function rulesOf(plural: string): KindRules {
  const definition = scheme.resource('', 'v1', plural);
  if (!definition) throw new Error(`no ${plural}`);
  return kindRules(definition, names);
}

function defaulted(plural: string, object: ApiObject): ApiObject {
  const definition = scheme.resource('', 'v1', plural);
  if (definition) applyDefaults(definition.schema, object);
  rulesOf(plural).defaults(object);
  return object;
}

describe('Namespace', () => {
  const rules = rulesOf('namespaces');

  it('starts active, with its name as a label and the finalizer of its contents', () => {
    const object = defaulted('namespaces', { metadata: { name: 'a' }, status: { phase: 'Terminating' } });
    rules.prepareForCreate(object, through());
    expect(object).toEqual({
      metadata: { name: 'a', labels: { 'kubernetes.io/metadata.name': 'a' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
    expect(rules.nameRule).toBe('label');
  });

  it('waits for finalizers in its spec, which only finalize may change', () => {
    const old: ApiObject = {
      metadata: { name: 'a' },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating' },
    };
    expect(rules.hasFinalizers(old)).toBe(true);
    const updated: ApiObject = { metadata: { name: 'a' }, spec: { finalizers: [] } };
    rules.prepareForUpdate(updated, old, through());
    expect(rules.hasFinalizers(updated)).toBe(true);
    const finalized: ApiObject = { metadata: { name: 'a' }, spec: { finalizers: [] } };
    rules.prepareForUpdate(finalized, old, through('finalize'));
    expect(rules.hasFinalizers(finalized)).toBe(false);
    expect(finalized.status).toEqual({ phase: 'Terminating' });
  });
});

describe('Secret', () => {
  const rules = rulesOf('secrets');

  it('folds plain text into data and is opaque', () => {
    expect(defaulted('secrets', { data: { a: 'eA==', b: 'eA==' }, stringData: { b: 'é', c: '' } })).toEqual({
      type: 'Opaque',
      data: { a: 'eA==', b: 'w6k=', c: '' },
    });
  });

  it('keeps its type, and everything once immutable', () => {
    const old: ApiObject = { type: 'Opaque', immutable: true, data: { a: 'eA==' } };
    const fields = [...rules.validateUpdate({ type: 'other', data: {} }, old)].flat().map(({ field }) => field);
    expect(fields).toEqual(['type', 'immutable', 'data']);
    expect([...rules.validateUpdate(structuredClone(old), old)].flat()).toEqual([]);
  });
});

describe('Pod', () => {
  const rules = rulesOf('pods');
  const running: ApiObject = {
    spec: { nodeName: 'n', terminationGracePeriodSeconds: 45 },
    status: { phase: 'Running' },
  };

  it.each([
    [running, undefined, 45],
    [running, 10, 10],
    [running, 0, 0],
    [running, -1, 1],
    [{ ...running, spec: {} }, 10, 0],
    [{ ...running, status: { phase: 'Failed' } }, 10, 0],
  ] satisfies [ApiObject, number | undefined, number][])(
    '%j is given, of %s asked for, %d seconds',
    (object, asked, granted) => {
      expect(rules.gracePeriod(object, asked)).toBe(granted);
    },
  );

  it('can be selected by what schedulers and agents look for', () => {
    const fields = rules.selectableFields({
      spec: { nodeName: 'n', hostNetwork: true },
      status: { podIPs: [{ ip: '10.0.0.1' }] },
    });
    expect(fields).toEqual({
      'spec.nodeName': 'n',
      'spec.restartPolicy': '',
      'spec.schedulerName': '',
      'spec.serviceAccountName': '',
      'spec.hostNetwork': 'true',
      'status.phase': '',
      'status.podIP': '10.0.0.1',
      'status.podIPs': '10.0.0.1',
      'status.nominatedNodeName': '',
    });
  });

  it('takes nothing but ephemeral containers through their subresource', () => {
    const object: ApiObject = { spec: { nodeName: 'other', ephemeralContainers: [{ name: 'debug' }] }, status: {} };
    rules.prepareForUpdate(object, running, through('ephemeralcontainers'));
    expect(object).toMatchObject({
      spec: { ...Object(running.spec), ephemeralContainers: [{ name: 'debug' }] },
      status: running.status,
    });
  });
});

it("copies a node's capacity to what it may allocate", () => {
  const node = defaulted('nodes', { status: { capacity: { cpu: '4' } } });
  expect(node.status).toMatchObject({ capacity: { cpu: '4' }, allocatable: { cpu: '4' } });
});

it('prints nodes with their roles', () => {
  const labels = {
    'node-role.kubernetes.io/worker': '',
    'node-role.kubernetes.io/edge': '',
    'kubernetes.io/role': 'edge',
  };
  const node: ApiObject = {
    metadata: { name: 'n', labels, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { unschedulable: true },
    status: { conditions: [{ type: 'Ready', status: 'True' }], nodeInfo: { kubeletVersion: 'v1' } },
  };
  const cells = rulesOf('nodes').cells(node, Date.parse('2026-01-01T00:01:00Z'));
  expect(cells.slice(0, 5)).toEqual(['n', 'Ready,SchedulingDisabled', 'edge,worker', '60s', 'v1']);
});

it('derives the limits of containers', () => {
  const range = defaulted('limitranges', {
    spec: { limits: [{ type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' } }] },
  });
  expect(range.spec).toEqual({
    limits: [
      {
        type: 'Container',
        max: { cpu: '2' },
        min: { memory: '1Mi' },
        default: { cpu: '2' },
        defaultRequest: { cpu: '2', memory: '1Mi' },
      },
    ],
  });
});
