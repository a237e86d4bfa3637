import { expect, it } from 'vitest';
import { aggregatedRules } from './aggregation.js';
import type { RoleObject } from './rbac-objects.js';

it('a role that is made of many has each of its selectors made ready once', () => {
  const all = Array.from({ length: 100 }, (_, at): RoleObject => {
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: [`r${at}`] }];
    return { namespace: '', name: `role-${at}`, labels: { odd: String(at % 2) }, rules };
  });
  const made: unknown[] = [];
  const aggregates = [{ matchLabels: { odd: '1' } }, { matchLabels: { odd: '0' } }];
  const rules = aggregatedRules(
    { namespace: '', name: 'role-1', labels: {}, rules: [], aggregates },
    all,
    ({ matchLabels, ...rest }) => {
      made.push({ matchLabels, ...rest });
      return ({ odd }) => odd === (matchLabels as Record<string, string>).odd;
    },
  );
  expect(made).toEqual(aggregates);
  expect(rules.slice(0, 2).map(({ resources }) => resources)).toEqual([['r3'], ['r5']]);
  expect(rules).toHaveLength(99);
});
