import { expect, test } from 'vitest';
import { type FeatureSpec, featureGates, KNOWN_FEATURES, resolveFeatures } from './feature-gates.js';

const set = (text: string) => new Map(text.split(',').map((entry) => entry.split('=') as [string, string]));

test('defaults follow the stage: alpha off, beta on', () => {
  const gates = featureGates();
  expect(gates.enabled('WatchList')).toBe(false);
  expect(gates.enabled('APIListChunking')).toBe(true);
  for (const spec of Object.values(KNOWN_FEATURES)) expect(spec.default).toBe(spec.stage === 'beta');
});

test('a named gate wins over its stage, in either order', () => {
  for (const text of ['AllAlpha=true,WatchList=false', 'WatchList=false,AllAlpha=true']) {
    const gates = featureGates(set(text));
    expect(gates.enabled('WatchList')).toBe(false);
    expect(gates.enabled('ValidatingAdmissionPolicy')).toBe(true);
  }
  const gates = featureGates(set('AllBeta=false,OpenAPIV3=true'));
  expect([gates.enabled('APIListChunking'), gates.enabled('OpenAPIV3'), gates.enabled('WatchList')]).toEqual([
    false,
    true,
    false,
  ]);
});

test('unknown names and values are refused together', () => {
  expect(() => featureGates(set('Nope=true,WatchList=perhaps,AllBeta=x,toString=true'))).toThrow(
    /AllBeta: "x" is not.*\n.*gate: Nope\n.*WatchList: "perhaps" is not.*\n.*gate: toString/,
  );
});

test('GA cannot be turned off and, as deprecated gates, warns when set', () => {
  const known: Record<'Done' | 'Old', FeatureSpec> = {
    Done: { stage: 'ga', default: true },
    Old: { stage: 'deprecated', default: false },
  };
  expect(() => resolveFeatures(known, set('Done=false'))).toThrow('Done is GA');
  const gates = resolveFeatures(known, set('Done=true,Old=true'));
  expect(gates.enabled('Old')).toBe(true);
  expect(gates.warnings).toEqual([
    expect.stringContaining('Done is GA and non-operational'),
    expect.stringContaining('Old is deprecated, still operational'),
  ]);
});
