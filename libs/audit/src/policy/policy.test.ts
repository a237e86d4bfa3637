import { namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { loadPolicy, parsePolicy } from './policy.js';

const scheme = loadScheme(namesOf('kubernetes'));
const parse = (text: string) => parsePolicy(text, scheme);
const HEAD = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n';

describe('a policy', () => {
  it('is read as YAML and as JSON, unknown fields are told and passed over', () => {
    const { policy, problems } = parse(`${HEAD}rules:\n- level: Metadata\n  userz: [a]\n`);
    expect(policy.rules).toEqual([{ level: 'Metadata' }]);
    expect(problems).toEqual(['unknown field "rules[0].userz"']);
    const json = JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'None' }] });
    expect(parse(json).policy.rules).toEqual([{ level: 'None' }]);
  });

  it.each([
    ['', 'failed decoding: '],
    ['rules: [{level: None}]', 'failed decoding: no kind "" is registered for version ""'],
    [
      'apiVersion: audit.k8s.io/v1beta1\nkind: Policy',
      'no kind "Policy" is registered for version "audit.k8s.io/v1beta1"',
    ],
    ['apiVersion: audit.k8s.io/v1\nkind: Event', 'no kind "Event" is registered'],
    [HEAD, 'loaded illegal policy with 0 rules'],
    [`${HEAD}rules: 3`, 'failed decoding: '],
    [`${HEAD}rules: [{}]`, 'rules[0].level: Required value'],
    [
      `${HEAD}rules: [{level: Loud}]`,
      'rules[0].level: Unsupported value: "Loud": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    [
      `${HEAD}rules: [{level: None, nonResourceURLs: [x, "/a*b", "*", "/c*"]}]`,
      `[rules[0].nonResourceURLs[0]: Invalid value: "x": non-resource URL rules must begin with a '/' character, rules[0].nonResourceURLs[1]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule]`,
    ],
    [
      `${HEAD}omitStages: [Later]\nrules: [{level: None}]`,
      'omitStages[0]: Invalid value: "Later": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
  ])('%j is refused', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('tells which file cannot be read', async () => {
    await expect(loadPolicy('/nowhere/policy.yaml', scheme)).rejects.toThrow(
      'loading audit policy file: failed to read file path "/nowhere/policy.yaml"',
    );
  });
});
