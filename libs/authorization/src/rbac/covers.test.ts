import { describe, expect, it } from 'vitest';
import { TooManyRulesError, uncovered } from './covers.js';
import { describeRules } from './describe-rules.js';
import { CompiledRules, type PolicyRule, withNamesTogether } from './policy-rule.js';

const MOST = 20_000;
const pods = (verb: string, ...resourceNames: string[]): PolicyRule => ({
  ...{ verbs: [verb], apiGroups: [''], resources: ['pods'], resourceNames },
});
const many = <T>(length: number, make: (at: number) => T): T[] => Array.from({ length }, (_, at) => make(at));

/** Nothing else is done meanwhile: 100 ms or so of this processor, and not what a product of both sizes takes. */
function soon<T>(work: () => T): T {
  const begun = process.cpuUsage();
  try {
    return work();
  } finally {
    expect(process.cpuUsage(begun).user / 1000).toBeLessThan(1_500);
  }
}

describe('rules that many are compared with', () => {
  const wanted = [pods('delete', ...many(MOST, (at) => `m${at}`))];

  it('and that differ in names alone are as one', () => {
    const owned = many(20_000, (at) => pods('get', `n${at}`));
    expect(soon(() => uncovered(owned, wanted, MOST))).toHaveLength(MOST);
    expect(
      soon(() =>
        uncovered(
          owned,
          many(5_000, (at) => pods('get', `n${4 * at}`)),
          MOST,
        ),
      ),
    ).toEqual([]);
    expect(uncovered(owned, [pods('get', 'n1', 'n19999'), pods('get', 'n1', 'x')], MOST)).toEqual([pods('get', 'x')]);
    expect(uncovered([...owned, pods('get')], [pods('get')], MOST)).toEqual([]);
    expect(uncovered(owned, [pods('get')], MOST)).toHaveLength(1);
  });

  it('and that differ otherwise are too many', () => {
    const owned = many(20_000, (at) => pods(`verb${at}`));
    expect(() => soon(() => uncovered(owned, wanted, MOST))).toThrow(TooManyRulesError);
    const held = many(200_000, (at) => pods('get', `n${at}`));
    expect(() => soon(() => uncovered(held, wanted, MOST))).toThrow(TooManyRulesError);
    const elsewhere = held.map((rule) => ({ ...rule, resources: ['secrets'] }));
    expect(soon(() => uncovered(elsewhere, wanted, MOST))).toHaveLength(MOST);
  });

  it('on paths are bounded likewise', () => {
    const urls = (prefix: string, end = '') => ({
      verbs: ['get'],
      nonResourceURLs: many(MOST, (at) => `/${prefix}${at}${end}`),
    });
    expect(soon(() => uncovered([urls('a')], [urls('b')], MOST))).toHaveLength(MOST);
    expect(soon(() => uncovered([urls('a')], [urls('a')], MOST))).toEqual([]);
    expect(() => soon(() => uncovered([urls('a', '*')], [urls('b')], MOST))).toThrow(TooManyRulesError);
  });
});

it('a rule of many verbs is told as one', () => {
  const verbs = many(MOST, (at) => `verb${at}`);
  const rules = uncovered([], [{ ...pods(''), verbs }], MOST);
  expect(soon(() => describeRules(rules))).toEqual([expect.stringContaining('"verb0" "verb1"')]);
});

it('rules with their names together allow what they do apart', () => {
  const rules = [pods('get', 'a'), pods('list', 'a'), pods('get', 'b'), { verbs: ['get'], nonResourceURLs: ['/x'] }];
  expect(withNamesTogether(rules)).toHaveLength(3);
  const request = { isResourceRequest: true, path: '', group: '', version: '', resource: 'pods', subresource: '' };
  const allowed = (verb: string, name: string) =>
    new CompiledRules(rules).allow({ ...request, verb, name, namespace: '' });
  expect([allowed('get', 'a'), allowed('get', 'b'), allowed('list', 'b'), allowed('get', '')]).toEqual([
    ...[true, true, false, false],
  ]);
});
