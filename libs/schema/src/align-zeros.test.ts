import { namesOf } from '@orch/machinery';
import { describe, expect, test } from 'vitest';
import { alignZeros } from './align-zeros.js';
import { loadScheme } from './scheme.js';

const scheme = loadScheme(namesOf('kubernetes'));
const statefulSet = scheme.struct('apps/v1.StatefulSet');

function aligned(object: Record<string, unknown>, like: Record<string, unknown>) {
  alignZeros(statefulSet, object, like);
  return object;
}

const template = (container: object, spec: object = {}) => ({
  template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', ...container }], ...spec } },
});

describe('absence and zero of a field that is no pointer', () => {
  test('are taken for the same, whichever was there', () => {
    const bare = { spec: template({}) };
    const typed = {
      spec: { ...template({ resources: {} }), serviceName: '', updateStrategy: {} },
      status: { replicas: 0 },
    };
    expect(aligned(structuredClone(typed), bare)).toEqual(bare);
    expect(aligned(structuredClone(bare), typed)).toEqual(typed);
  });

  test('are told apart from values', () => {
    const object = { spec: { serviceName: 'a', ...template({ resources: { limits: { cpu: '1' } } }) } };
    expect(aligned(structuredClone(object), { spec: { serviceName: '', ...template({}) } })).toEqual(object);
  });
});

test('absence and zero of a pointer stay what they are', () => {
  const object = { spec: template({}, { automountServiceAccountToken: false }) };
  expect(aligned(structuredClone(object), { spec: template({}) })).toEqual(object);
  expect(aligned({ spec: template({}) }, object)).toEqual({ spec: template({}) });
});

test('items of a list that has grown are left alone', () => {
  const containers = [{ name: 'c' }, { name: 'd', resources: {} }];
  const object = { spec: { template: { spec: { containers } } } };
  expect(aligned(structuredClone(object), { spec: template({}) })).toEqual(object);
});
