import { describe, expect, it } from 'vitest';
import { compareVersions } from './group-version.js';

/** The least preferred first. */
const ORDERED = [
  'v9223372036854775808',
  'v1gamma1',
  'v1beta',
  'foo',
  'bar',
  'v1alpha1',
  'v1alpha2',
  'v11alpha1',
  'v1beta1',
  'v3beta1',
  'v3beta10',
  'v1',
  'v2',
  'v10',
  'v9223372036854775807',
];

describe('versions', () => {
  it('are ordered by stability, then by number, and other names by the alphabet behind them', () => {
    expect(ORDERED.toReversed().sort(compareVersions)).toEqual(ORDERED);
  });

  it('are as they are with themselves', () => {
    for (const version of ORDERED) expect(compareVersions(version, version)).toBe(0);
  });
});
