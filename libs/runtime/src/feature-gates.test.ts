import { expect, test } from 'vitest';
import { type FeatureSpec, featureGateOptions, resolveFeatures } from './feature-gates.js';
import { readCommandLine } from './options/command-line.js';
import { defineOptions } from './options/options.js';

const KNOWN = {
  Done: { stage: 'ga', default: true },
  Early: { stage: 'alpha', default: false },
  Late: { stage: 'beta', default: true },
  Later: { stage: 'beta', default: true },
  Held: { stage: 'beta', default: false },
  Old: { stage: 'deprecated', default: false },
} as const satisfies Record<string, FeatureSpec>;
const gatesOf = (settings?: ReadonlyMap<string, string>) => resolveFeatures(KNOWN, settings);

const set = (text: string) => new Map(text.split(',').map((entry) => entry.split('=') as [string, string]));

test('what is not set is as its default says', () => {
  const gates = gatesOf();
  for (const [name, spec] of Object.entries(KNOWN))
    expect(gates.enabled(name as keyof typeof KNOWN)).toBe(spec.default);
});

test('a named gate wins over its stage, in either order', () => {
  for (const text of ['AllAlpha=true,Early=false', 'Early=false,AllAlpha=true']) {
    const gates = gatesOf(set(text));
    expect(gates.enabled('Early')).toBe(false);
  }
  const gates = gatesOf(set('AllBeta=false,Late=true'));
  expect([gates.enabled('Later'), gates.enabled('Late'), gates.enabled('Early')]).toEqual([false, true, false]);
});

test('unknown names and values are refused together', () => {
  expect(() => gatesOf(set('Nope=true,Early=perhaps,AllBeta=x,toString=true'))).toThrow(
    /invalid value of AllBeta=x, err: .*\n.*gate: Nope\n.*value of Early=perhaps, err: strconv.ParseBool: parsing "perhaps": invalid syntax\n.*gate: toString/,
  );
});

test('GA cannot be turned off and, as deprecated gates, warns when set', () => {
  expect(() => gatesOf(set('Done=false'))).toThrow('cannot set feature gate Done to false, feature is locked to true');
  const gates = gatesOf(set('Done=true,Old=true'));
  expect(gates.enabled('Old')).toBe(true);
  expect(gates.warnings).toEqual([
    expect.stringContaining('Done is GA and non-operational'),
    expect.stringContaining('Old is deprecated, still operational'),
  ]);
});

test('wrong gates are refused with the other options', () => {
  const stderr: string[] = [];
  const output = { stdout: { write: () => true }, stderr: { write: (text: string) => stderr.push(text) }, env: {} };
  const line = readCommandLine(
    defineOptions(featureGateOptions(KNOWN)),
    ['--feature-gates=Nope=true', '--x'],
    '',
    output,
  );
  expect(line).toEqual({ run: false, exitCode: 1 });
  expect(stderr.join('')).toBe('Error: unknown flag: --x\nError: --feature-gates: unrecognized feature gate: Nope\n');
});
