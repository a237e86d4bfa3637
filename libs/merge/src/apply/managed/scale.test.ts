import type { JsonObject } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { entriesAfterScale, type ReplicasPath, scaleEntries } from './scale.js';

const PATHS: Record<string, readonly string[] | null> = {
  'apps/v1': ['spec', 'replicas'],
  'example.com/v1': ['spec', 'size', 'wanted'],
  'example.com/v2': null,
};
const pathOf: ReplicasPath = (apiVersion) => PATHS[apiVersion];
const REPLICAS = { 'f:spec': { 'f:replicas': {} } };

const entry = (
  manager: string,
  operation: string,
  apiVersion: string,
  fieldsV1: JsonObject,
  subresource = '',
): JsonObject => ({
  manager,
  operation,
  apiVersion,
  time: '2026-01-02T03:04:05Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...(subresource !== '' && { subresource }),
});
const both = { 'f:spec': { 'f:replicas': {}, 'f:selector': {} } };
const selector = { 'f:spec': { 'f:selector': {} } };

describe('entries of a Scale', () => {
  it('are of those who own the replicas, in the version of the Scale', () => {
    const entries = [
      entry('a', 'Apply', 'apps/v1', both),
      entry('b', 'Update', 'apps/v1', selector),
      entry('c', 'Update', 'gone/v1', both),
      entry('d', 'Update', 'example.com/v1', { 'f:spec': { 'f:size': { 'f:wanted': {} } } }, 'scale'),
      entry('e', 'Update', 'example.com/v2', both),
    ];
    expect(scaleEntries(entries, pathOf)).toEqual([
      entry('a', 'Apply', 'autoscaling/v1', REPLICAS),
      entry('d', 'Update', 'autoscaling/v1', REPLICAS, 'scale'),
    ]);
    expect(scaleEntries(undefined, pathOf)).toBeUndefined();
  });

  it.each(['Apply', 'Update'])('take the replicas from who had them by %s', (operation) => {
    const before = [entry('a', operation, 'apps/v1', both), entry('z', 'Update', 'gone/v1', both)];
    const scale = [entry('hpa', 'Update', 'autoscaling/v1', REPLICAS, 'scale')];
    const after = entriesAfterScale(before, scale, 'apps/v1', pathOf);
    expect(after).toEqual(
      expect.arrayContaining([
        entry('a', operation, 'apps/v1', selector),
        entry('hpa', 'Update', 'apps/v1', REPLICAS, 'scale'),
      ]),
    );
    expect(after).toHaveLength(2);
  });

  it.each(['Apply', 'Update'])('leave what was not taken (%s)', (operation) => {
    const before = [entry('a', operation, 'apps/v1', both), entry('e', 'Update', 'example.com/v2', both)];
    const scale = scaleEntries(before, pathOf);
    expect(entriesAfterScale(before, scale, 'apps/v1', pathOf)).toEqual(before);
  });

  it('may take all that somebody had', () => {
    const scale = [entry('hpa', 'Apply', 'autoscaling/v1', REPLICAS, 'scale')];
    expect(entriesAfterScale([entry('a', 'Apply', 'apps/v1', REPLICAS)], scale, 'apps/v1', pathOf)).toEqual([
      entry('hpa', 'Apply', 'apps/v1', REPLICAS, 'scale'),
    ]);
  });

  it("are nobody's when the Scale's replicas are", () => {
    const scale = [entry('s', 'Update', 'autoscaling/v1', { 'f:status': { 'f:replicas': {} } }, 'scale')];
    expect(entriesAfterScale([entry('a', 'Apply', 'apps/v1', both)], scale, 'apps/v1', pathOf)).toEqual([
      entry('a', 'Apply', 'apps/v1', selector),
    ]);
  });
});
