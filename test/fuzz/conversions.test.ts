import { ObjectReadError } from '@orch/codec';
import { conversionsOf } from '@orch/kinds';
import { type NamingProfile, namesOf, parseApiVersion } from '@orch/machinery';
import { type KindDefinition, loadScheme } from '@orch/schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryObject } from './arbitrary-object.js';
import { convertible } from './convertible.js';

/** `CONVERSIONS=5000 npx vitest run --config test/vitest.config.ts test/fuzz/conversions.test.ts` for more of each kind. */
const RUNS = Number(process.env.CONVERSIONS ?? 100);
const SEED = Number(process.env.FUZZ_SEED ?? 20_260_101);
const PROFILES: readonly NamingProfile[] = ['orch', 'kubernetes'];

/** Names that conversions look for, with anything in their places. */
const NAMES = [
  ...[
    'metadata',
    'annotations',
    'labels',
    'spec',
    'status',
    'template',
    'selector',
    'strategy',
    'rollingUpdate',
    'rollbackTo',
  ],
  ...[
    'updateStrategy',
    'backend',
    'defaultBackend',
    'service',
    'port',
    'rules',
    'http',
    'paths',
    'endpoints',
    'topology',
  ],
  ...['deprecatedTopology', 'metrics', 'currentMetrics', 'object', 'pods', 'resource', 'target', 'current', 'limited'],
  ...[
    'versions',
    'validation',
    'additionalPrinterColumns',
    'conversion',
    'webhook',
    'webhooks',
    'subjects',
    'conditions',
  ],
  ...[
    'behavior',
    'matchLabels',
    'matchExpressions',
    'templateGeneration',
    'autoscaling.alpha.kubernetes.io/metrics',
    '__proto__',
  ],
];
const JUNK = fc.object({
  key: fc.constantFrom(...NAMES),
  maxDepth: 5,
  maxKeys: 6,
  values: [
    fc.constantFrom(null, '', '[{}]', '{', 0, 1, -1, true, '*'),
    fc.constant([]),
    fc.constant([null]),
    fc.constant(['x']),
  ],
});

describe.each(PROFILES)('objects of every kind go to every version and come back, %s names', (profile) => {
  const scheme = loadScheme(namesOf(profile));
  const conversions = conversionsOf(scheme);
  const kindOf = (apiVersion: string, kind: string): KindDefinition => {
    const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {};
    const found = scheme.kind(group, version, kind);
    if (!found) throw new Error(`no ${kind} of ${apiVersion}`);
    return found;
  };

  test.each(conversions.differing())('$hub $kind > $apiVersion', ({ apiVersion, kind, hub }) => {
    const [out, back] = [conversions.between(hub, apiVersion, kind), conversions.between(apiVersion, hub, kind)];
    fc.assert(
      fc.property(arbitraryObject(kindOf(hub, kind), true), (generated) => {
        const object = convertible(generated, scheme.names);
        const before = structuredClone(object);
        const old = out(object);
        expect(old).toMatchObject({ apiVersion, kind });
        const returned = back(old);
        expect(returned).toEqual(before);
        expect(out(returned)).toEqual(old);
        expect(object).toEqual(before);
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });

  test.each(conversions.differing())('whatever stands in it: $apiVersion $kind', ({ apiVersion, kind, hub }) => {
    fc.assert(
      fc.property(JUNK, fc.boolean(), (junk, old) => {
        const object = { ...junk, apiVersion: old ? apiVersion : hub, kind };
        const before = structuredClone(object);
        try {
          expect(conversions.manifest(object, old ? hub : apiVersion)).toMatchObject({ kind });
        } catch (error) {
          // A value of another type than its member, which rules never see.
          if (!(error instanceof ObjectReadError)) throw error;
        }
        expect(object).toEqual(before);
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });
});
