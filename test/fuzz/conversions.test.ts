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
});
