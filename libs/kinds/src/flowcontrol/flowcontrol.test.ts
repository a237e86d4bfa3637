import { describe, expect, it } from 'vitest';
import { type Changes, triedKind } from '../testing/refusals.js';
import { FIXED_SCHEMAS, fixedLevels } from './fixed.js';

const GROUP = 'flowcontrol.apiserver.k8s.io';
const rule = {
  subjects: [{ kind: 'User', user: { name: 'u' } }],
  resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['a'] }],
};
const schema = triedKind(GROUP, 'v1beta3', 'flowschemas', {
  spec: { priorityLevelConfiguration: { name: 'p' }, rules: [rule] },
});
const limited = { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } };
const level = triedKind(GROUP, 'v1beta3', 'prioritylevelconfigurations', { spec: limited });
const queued = { 'spec.limited.limitResponse': { type: 'Queue', queuing: {} } };

describe('a flow schema', () => {
  it.each<Changes>([
    {},
    { 'spec.rules': [] },
    { 'spec.distinguisherMethod': { type: 'ByUser' }, 'spec.matchingPrecedence': 10000 },
    { 'spec.rules.0.subjects': [{ kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: 'n' } }] },
    { 'spec.rules.0.resourceRules.0': { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true } },
    { 'spec.rules.0.nonResourceRules': [{ verbs: ['get'], nonResourceURLs: ['/', '/a', '/healthz/*'] }] },
    { 'metadata.name': 'exempt', spec: FIXED_SCHEMAS.get('exempt') },
    { 'metadata.name': 'catch-all', spec: FIXED_SCHEMAS.get('catch-all') },
  ])('may be %j', (changes) => {
    expect(schema.created(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      { spec: { matchingPrecedence: 1, distinguisherMethod: {}, rules: [{}] } },
      [
        "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
        'spec.distinguisherMethod.type: Unsupported value: flowcontrol.FlowDistinguisherMethod{Type:""}: supported values: "ByNamespace", "ByUser"',
        'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
        'spec.rules[0].subjects: Required value: subjects must contain at least one value',
        'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
      ],
    ],
    [
      { 'spec.matchingPrecedence': 10001 },
      ['spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000'],
    ],
    [
      {
        'spec.rules.0.subjects': [
          { kind: 'Robot' },
          { kind: 'User', group: { name: 'g' } },
          { kind: 'ServiceAccount', serviceAccount: { name: 'A' } },
          { kind: 'Group', group: {} },
        ],
      },
      [
        'spec.rules[0].subjects[0].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"',
        "spec.rules[0].subjects[1].user: Required value: user is required when subject kind is 'User'",
        "spec.rules[0].subjects[1].group: Forbidden: group is forbidden when subject kind is not 'Group'",
        expect.stringMatching(
          /^spec\.rules\[0\]\.subjects\[2\]\.serviceAccount\.name: Invalid value: "A": a lowercase/,
        ) as never,
        'spec.rules[0].subjects[2].serviceAccount.namespace: Required value: must specify namespace for service account',
        'spec.rules[0].subjects[3].group.name: Required value',
      ],
    ],
    [
      {
        'spec.rules.0.resourceRules': [
          {},
          { verbs: ['read'], apiGroups: ['*', 'a'], resources: ['*', 'b'], namespaces: ['*', 'c'] },
          { verbs: ['*', 'get'], apiGroups: ['a'], resources: ['b'], namespaces: ['A'] },
        ],
      },
      [
        '[0].verbs: Required value: verbs must contain at least one value',
        '[0].apiGroups: Required value: resource rules must supply at least one api group',
        '[0].resources: Required value: resource rules must supply at least one resource',
        '[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace',
        '[1].verbs: Unsupported value: []string{"read"}: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
        '[1].apiGroups: Invalid value: []string{"*", "a"}: if \'*\' is present, must not specify other api groups',
        '[1].resources: Invalid value: []string{"*", "b"}: if \'*\' is present, must not specify other resources',
        '[1].namespaces: Invalid value: []string{"*", "c"}: if \'*\' is present, must not specify other namespaces',
        '[2].verbs: Invalid value: []string{"*", "get"}: if \'*\' is present, must not specify other verbs',
        expect.stringContaining(
          '[2].namespaces[0]: Invalid value: "A": each member of this list must be \'*\' or a DNS-1123 label; a lower',
        ),
      ].map((text) => (typeof text === 'string' ? `spec.rules[0].resourceRules${text}` : (text as never))),
    ],
    [
      { 'spec.rules.0.nonResourceRules': [{ verbs: ['get'], nonResourceURLs: ['', 'a', '/a b', '/a//b', '/*a'] }, {}] },
      [
        '[0].nonResourceURLs[0]: Invalid value: "": must not be empty',
        '[0].nonResourceURLs[1]: Invalid value: "a": must start with slash',
        '[0].nonResourceURLs[2]: Invalid value: "/a b": must not contain white-space',
        '[0].nonResourceURLs[3]: Invalid value: "/a//b": must not contain double slash',
        '[0].nonResourceURLs[4]: Invalid value: "/*a": wildcard can only do suffix matching',
        '[1].verbs: Required value: verbs must contain at least one value',
        '[1].nonResourceURLs: Required value: nonResourceURLs must contain at least one value',
      ].map((text) => `spec.rules[0].nonResourceRules${text}`),
    ],
  ])('may not be %j', (changes, expected) => {
    expect(schema.created(changes)).toEqual(expected);
  });

  it('that every installation has stays as it is', () => {
    const fixed = { 'metadata.name': 'exempt', spec: FIXED_SCHEMAS.get('exempt') };
    expect(schema.updated(fixed, { 'metadata.labels': { a: 'b' } })).toEqual([]);
    expect(schema.updated(fixed, { 'spec.rules': [] })).toEqual([
      expect.stringMatching(/^spec: Invalid value: .*: spec of 'exempt' must equal the fixed value$/),
    ]);
  });

  it('has one condition of a type', () => {
    const conditions = [{ type: 'a' }, { type: 'a' }, {}];
    expect(schema.updated({}, { status: { conditions } }, 'status')).toEqual([
      'status.conditions[1].type: Duplicate value: "a"',
      'status.conditions[2].type: Required value: must not be empty',
    ]);
  });
});

describe('a priority level', () => {
  it.each<Changes>([
    {},
    queued,
    { 'spec.limited.lendablePercent': 100, 'spec.limited.borrowingLimitPercent': 500 },
    { 'metadata.name': 'exempt', spec: { type: 'Exempt' } },
    { 'metadata.name': 'catch-all', spec: fixedLevels('nominalConcurrencyShares').get('catch-all') },
  ])('may be %j', (changes) => {
    expect(level.created(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      { spec: { type: 'Exempt', limited: {} } },
      [
        "spec.type: Invalid value: \"Exempt\": type must be 'Exempt' if and only if name is 'exempt'",
        'spec.limited: Forbidden: must be nil if the type is not Limited',
      ],
    ],
    [{ spec: { type: 'Limited' } }, ['spec.limited: Required value: must not be empty when type is Limited']],
    [{ spec: { type: 'Odd' } }, ['spec.type: Unsupported value: "Odd": supported values: "Exempt", "Limited"']],
    [
      {
        'spec.limited': {
          nominalConcurrencyShares: -1,
          lendablePercent: 101,
          borrowingLimitPercent: -1,
          limitResponse: { type: 'Reject', queuing: {} },
        },
      },
      [
        'spec.limited.nominalConcurrencyShares: Invalid value: -1: must be positive',
        'spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited',
        'spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
        'spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer',
      ],
    ],
    [
      { 'spec.limited.limitResponse': { type: 'Queue' } },
      [
        'spec.limited.limitResponse.queuing: Required value: must not be empty if limited.limitResponse.type is Limited',
      ],
    ],
    [
      { ...queued, 'spec.limited.limitResponse.queuing': { queues: 10_000_001, handSize: 3, queueLengthLimit: -1 } },
      [
        'queueLengthLimit: Invalid value: -1: must be positive',
        'queues: Invalid value: 10000001: must not be greater than 10000000',
        'handSize: Invalid value: 3: required entropy bits of deckSize 10000001 and handSize 3 should not be greater than 60',
      ].map((text) => `spec.limited.limitResponse.queuing.${text}`),
    ],
    [
      { ...queued, 'spec.limited.limitResponse.queuing': { queues: 4, handSize: 5 } },
      ['spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than queues (4)'],
    ],
  ])('may not be %j', (changes, expected) => {
    expect(level.created(changes)).toEqual(expected);
  });

  it('that every installation has stays as it is', () => {
    const spec = fixedLevels('nominalConcurrencyShares').get('catch-all');
    expect(
      level.updated({ 'metadata.name': 'catch-all', spec }, { 'spec.limited.nominalConcurrencyShares': 6 }),
    ).toEqual([expect.stringMatching(/^spec: Invalid value: .*: spec of 'catch-all' must equal the fixed value$/)]);
  });
});
