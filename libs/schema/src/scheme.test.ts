import { namesOf } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import type { Schema, StructSchema } from './model.js';
import { loadScheme } from './scheme.js';

const scheme = loadScheme(namesOf('orch'));
const kubernetes = loadScheme(namesOf('kubernetes'));

describe('resources', () => {
  it('stand in the order of discovery', () => {
    const groups = [...new Set(scheme.resources.map(({ group }) => group))];
    expect(groups.slice(0, 4)).toEqual(['apiregistration.orch.io', '', 'apps', 'events.orch.io']);
    const versions = scheme.resources.filter(({ group }) => group === 'autoscaling').map(({ version }) => version);
    expect(versions).toEqual(['v2', 'v1']);
  });

  it('say what a declaration says', () => {
    const deployments = scheme.resource('apps', 'v1', 'deployments');
    expect(deployments).toMatchObject({
      kind: 'Deployment',
      singular: 'deployment',
      listKind: 'DeploymentList',
      shortNames: ['deploy'],
      categories: ['all'],
      namespaced: true,
      stored: true,
      servedByDefault: true,
      groupPriority: 17800,
    });
    const scale = deployments?.subresources.find(({ name }) => name === 'scale');
    expect(scale).toEqual({
      name: 'scale',
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    });
    expect(deployments?.columns[0]).toMatchObject({ name: 'Name', format: 'name' });
    expect(scheme.resource('', 'v1', 'limitranges')?.columns.map(({ name }) => name)).toEqual(['Name', 'Created At']);
    expect(scheme.resource('authentication.orch.io', 'v1', 'tokenreviews')).toMatchObject({
      stored: false,
      listKind: '',
    });
  });

  it('share their storage where they cohabit', () => {
    const storage = { group: '', version: 'v1', resource: 'events', kind: 'Event' };
    expect(scheme.resource('', 'v1', 'events')?.storage).toEqual(storage);
    expect(scheme.resource('events.orch.io', 'v1', 'events')?.storage).toEqual(storage);
    expect(scheme.resource('autoscaling', 'v1', 'horizontalpodautoscalers')?.storage.version).toBe('v2');
  });

  it('have a list kind with metadata and items in fields 1 and 2', () => {
    for (const { group, version, kind, listKind } of scheme.resources.filter((resource) => resource.listKind)) {
      const list = scheme.kind(group, version, listKind)?.schema;
      expect(list?.fields.get('metadata')?.number, listKind).toBe(1);
      const items = list?.fields.get('items');
      expect(items?.number, listKind).toBe(2);
      expect(items?.schema).toEqual({ kind: 'list', items: scheme.kind(group, version, kind)?.schema });
    }
  });
});

describe('names', () => {
  it('follow the profile', () => {
    expect(kubernetes.resource('storage.k8s.io', 'v1', 'csinodes')?.storage.group).toBe('storage.k8s.io');
    expect(kubernetes.resource('storage.orch.io', 'v1', 'csinodes')).toBeUndefined();
    expect(kubernetes.struct('core/v1.Pod').openapi).toBe('io.k8s.api.core.v1.Pod');
    expect(scheme.struct('core/v1.Pod').openapi).toBe('io.orch.api.core.v1.Pod');
    expect(kubernetes.resources.length).toBe(scheme.resources.length);
  });
});

describe('kinds', () => {
  it('of options and statuses are known everywhere', () => {
    expect(scheme.kind('policy', 'v1', 'DeleteOptions')?.schema.id).toBe('meta/v1.DeleteOptions');
    expect(scheme.kind('', 'v1', 'Status')?.schema.id).toBe('meta/v1.Status');
    expect(scheme.kind('apps', 'v1', 'Pod')).toBeUndefined();
    expect(() => scheme.struct('core/v1.Nothing')).toThrow();
  });
});

describe('structs', () => {
  it('hold the fields of inlined structs, with the path to them', () => {
    const rules = scheme.struct('admissionregistration/v1alpha1.NamedRuleWithOperations').fields;
    expect(rules.get('apiGroups')).toMatchObject({ number: 1, inlineNumbers: [2, 2] });
    expect(rules.get('operations')).toMatchObject({ number: 1, inlineNumbers: [2] });
    expect(rules.get('resourceNames')?.inlineNumbers).toBeUndefined();
  });

  it('carry what the machinery needs of fields', () => {
    const fields = scheme.struct('core/v1.ServiceSpec').fields;
    expect(fields.get('ports')).toMatchObject({
      listType: 'map',
      listMapKeys: ['port', 'protocol'],
      patchStrategy: ['merge'],
      patchMergeKey: 'port',
    });
    expect(fields.get('selector')?.mapType).toBe('atomic');
    expect(fields.get('type')?.enum).toContain('NodePort');
    expect(scheme.struct('core/v1.PodSpec').fields.get('volumes')?.patchStrategy).toEqual(['merge', 'retainKeys']);
    expect(scheme.struct('apiextensions/v1.JSONSchemaProps').fields.get('$ref')?.pointer).toBe(true);
  });

  it('that are served have a number on every field', () => {
    const seen = new Set<StructSchema>();
    const visit = (schema: Schema): void => {
      if (schema.kind === 'list') visit(schema.items);
      else if (schema.kind === 'map') visit(schema.values);
      else if (schema.kind === 'struct' && !seen.has(schema)) {
        seen.add(schema);
        for (const field of schema.fields.values()) {
          if (field.name !== 'apiVersion' && field.name !== 'kind') expect(field.number, schema.id).toBeGreaterThan(0);
          visit(field.schema);
        }
      }
    };
    for (const { schema } of scheme.resources) visit(schema);
    expect(seen.size).toBeGreaterThan(400);
  });

  it('never put two fields under one number', () => {
    for (const { id, fields } of scheme.structs()) {
      const numbers = [...fields.values()]
        .filter((field) => field.number !== undefined)
        .map((field) => [...(field.inlineNumbers ?? []), field.number].join('.'));
      expect(new Set(numbers).size, id).toBe(numbers.length);
    }
  });
});
