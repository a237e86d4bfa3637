import { expect, test } from 'vitest';
import {
  type FeatureSpec,
  featureGateOptions,
  featureGates,
  KNOWN_FEATURES,
  resolveFeatures,
} from './feature-gates.js';
import { readCommandLine } from './options/command-line.js';
import { defineOptions } from './options/options.js';

const set = (text: string) => new Map(text.split(',').map((entry) => entry.split('=') as [string, string]));

test('defaults follow the stage: alpha off, beta on', () => {
  const gates = featureGates();
  expect(gates.enabled('WatchList')).toBe(false);
  expect(gates.enabled('APIListChunking')).toBe(true);
  for (const spec of Object.values(KNOWN_FEATURES)) expect(spec.default).toBe(spec.stage !== 'alpha');
});

test('a named gate wins over its stage, in either order', () => {
  for (const text of ['AllAlpha=true,WatchList=false', 'WatchList=false,AllAlpha=true']) {
    const gates = featureGates(set(text));
    expect(gates.enabled('WatchList')).toBe(false);
  }
  const gates = featureGates(set('AllBeta=false,RemainingItemCount=true'));
  expect([gates.enabled('APIListChunking'), gates.enabled('RemainingItemCount'), gates.enabled('WatchList')]).toEqual([
    false,
    true,
    false,
  ]);
});

test('unknown names and values are refused together', () => {
  expect(() => featureGates(set('Nope=true,WatchList=perhaps,AllBeta=x,toString=true'))).toThrow(
    /invalid value of AllBeta=x, err: .*\n.*gate: Nope\n.*value of WatchList=perhaps, err: strconv.ParseBool: parsing "perhaps": invalid syntax\n.*gate: toString/,
  );
});

test('GA cannot be turned off and, as deprecated gates, warns when set', () => {
  const known: Record<'Done' | 'Old', FeatureSpec> = {
    Done: { stage: 'ga', default: true },
    Old: { stage: 'deprecated', default: false },
  };
  expect(() => resolveFeatures(known, set('Done=false'))).toThrow(
    'cannot set feature gate Done to false, feature is locked to true',
  );
  const gates = resolveFeatures(known, set('Done=true,Old=true'));
  expect(gates.enabled('Old')).toBe(true);
  expect(gates.warnings).toEqual([
    expect.stringContaining('Done is GA and non-operational'),
    expect.stringContaining('Old is deprecated, still operational'),
  ]);
});

test('wrong gates are refused with the other options', () => {
  const stderr: string[] = [];
  const output = { stdout: { write: () => true }, stderr: { write: (text: string) => stderr.push(text) }, env: {} };
  const line = readCommandLine(defineOptions(featureGateOptions), ['--feature-gates=Nope=true', '--x'], '', output);
  expect(line).toEqual({ run: false, exitCode: 2 });
  expect(stderr.join('')).toBe(
    'Error: unknown flag: --x\nError: --feature-gates: unrecognized feature gate: Nope\nSee --help for usage.\n',
  );
});
