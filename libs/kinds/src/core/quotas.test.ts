import { namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { kindRules } from '../registry/registry.js';
import { type Changes, triedKind } from '../testing/refusals.js';

const quota = triedKind('', 'v1', 'resourcequotas', {});
const limits = triedKind('', 'v1', 'limitranges', {});

const amount = (value: string, scale: number, shown: string) =>
  `resource.Quantity{i:resource.int64Amount{value:${value}, scale:${scale}}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"${shown}", Format:"DecimalSI"}`;

describe('a quota', () => {
  it.each<Changes>([
    {},
    { 'spec.hard': { cpu: '1', 'requests.storage': '1Gi', 'count/pods': '3', 'limits.memory': '1Gi', pods: '10' } },
    { 'spec.hard': { 'requests.nvidia.com/gpu': '1', 'hugepages-2Mi': '4Mi' } },
    { 'spec.hard': { pods: '1' }, 'spec.scopes': ['BestEffort', 'Terminating'] },
    {
      'spec.hard': { cpu: '1' },
      'spec.scopeSelector': {
        matchExpressions: [
          { scopeName: 'PriorityClass', operator: 'In', values: ['high'] },
          { scopeName: 'NotBestEffort', operator: 'Exists' },
        ],
      },
    },
  ])('may be %j', (changes) => {
    expect(quota.created(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      { 'spec.hard': { pods: '1500m', cpu: '-1', storage: '1', gpus: '1' } },
      [
        `spec.hard[pods]: Invalid value: ${amount('1500', -3, '1500m')}: must be an integer`,
        'spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota',
        'spec.hard[gpus]: Invalid value: "gpus": must be a standard resource type or fully qualified',
        'spec.hard[gpus]: Invalid value: "gpus": must be a standard resource for quota',
      ],
    ],
    [
      { 'spec.hard': { cpu: '1' }, 'spec.scopes': ['BestEffort', 'NotBestEffort', 'Odd'] },
      ['unsupported scope', 'unsupported scope applied to resource', 'conflicting scopes'].map(
        (text) =>
          `spec.scopes: Invalid value: []core.ResourceQuotaScope{"BestEffort", "NotBestEffort", "Odd"}: ${text}`,
      ),
    ],
    [
      {
        'spec.scopeSelector': {
          matchExpressions: [
            { scopeName: 'PriorityClass', operator: 'In' },
            { scopeName: 'Terminating', operator: 'In', values: ['a'] },
            { scopeName: 'Odd', operator: 'Is' },
            { scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] },
          ],
        },
      },
      [
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        'spec.scopeSelector.matchExpressions.operator: Invalid value: "In": must be \'Exist\' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity',
        'spec.scopeSelector.matchExpressions.scopeName: Invalid value: "Odd": unsupported scope',
        'spec.scopeSelector.matchExpressions.operator: Invalid value: "Is": not a valid selector operator',
        "spec.scopeSelector.matchExpressions.values: Invalid value: []string{\"a\"}: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
      ],
    ],
    [
      {
        'spec.hard': { cpu: '1' },
        'spec.scopeSelector': { matchExpressions: [{ scopeName: 'BestEffort', operator: 'Exists' }] },
      },
      [
        'spec.scopeSelector.matchExpressions: Invalid value: core.ScopeSelector{MatchExpressions:[]core.ScopedResourceSelectorRequirement{core.ScopedResourceSelectorRequirement{ScopeName:"BestEffort", Operator:"Exists", Values:[]string(nil)}}}: unsupported scope applied to resource',
      ],
    ],
  ])('may not be %j', (changes, expected) => {
    expect(quota.created(changes)).toEqual(expected);
  });

  it('keeps its scopes, in any order', () => {
    const before = { 'spec.scopes': ['BestEffort', 'Terminating'] };
    expect(quota.updated(before, { 'spec.scopes': ['Terminating', 'BestEffort'] })).toEqual([]);
    expect(quota.updated(before, { 'spec.scopes': ['BestEffort'] })).toEqual([
      'spec.scopes: Invalid value: []core.ResourceQuotaScope{"BestEffort"}: field is immutable',
    ]);
  });

  it('reports amounts', () => {
    expect(quota.updated({}, { status: { hard: { cpu: '1' }, used: { cpu: '2' } } }, 'status')).toEqual([]);
    expect(quota.updated({}, { status: { hard: { odd: '1' }, used: { cpu: '-2' } } }, 'status')).toEqual([
      'status.hard[odd]: Invalid value: "odd": must be a standard resource type or fully qualified',
      'status.hard[odd]: Invalid value: "odd": must be a standard resource for quota',
      'status.used[cpu]: Invalid value: "-2": must be greater than or equal to 0',
    ]);
  });
});

describe('a range of limits', () => {
  it.each<unknown[][]>([
    [[]],
    [[{ type: 'Container', max: { cpu: '2' }, min: { cpu: '100m' }, maxLimitRequestRatio: { cpu: '10' } }]],
    [
      [
        { type: 'Pod', max: { memory: '1Gi' } },
        { type: 'PersistentVolumeClaim', min: { storage: '1Gi' } },
      ],
    ],
    [[{ type: 'example.com/image', max: { storage: '1Gi' } }]],
    [[{ type: 'Container', default: { 'example.com/gpu': '2' }, defaultRequest: { 'example.com/gpu': '2' } }]],
  ])('may be %j', (items) => {
    expect(limits.created({ 'spec.limits': items })).toEqual([]);
  });

  it.each<[unknown[], string[]]>([
    [
      [{ type: 'Pod', default: { cpu: '1' } }, { type: 'Pod' }, { type: 'Odd' }],
      [
        'spec.limits[1].type: Duplicate value: "Pod"',
        "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
        'spec.limits[2].type: Invalid value: "Odd": must be a standard limit type or fully qualified',
      ],
    ],
    [
      [{ type: 'Container', max: { storage: '1' } }],
      ['max', 'default', 'defaultRequest'].map(
        (list) =>
          `spec.limits[0].${list}[storage]: Invalid value: "storage": must be a standard resource for containers`,
      ),
    ],
    [
      [{ type: 'PersistentVolumeClaim' }],
      [
        'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
      ],
    ],
    [
      [
        {
          type: 'Container',
          min: { cpu: '3' },
          max: { cpu: '2' },
          default: { cpu: '4' },
          defaultRequest: { cpu: '1' },
        },
      ],
      [
        `spec.limits[0].min[cpu]: Invalid value: ${amount('3', 0, '3')}: min value 3 is greater than max value 2`,
        `spec.limits[0].defaultRequest[cpu]: Invalid value: ${amount('1', 0, '1')}: min value 3 is greater than default request value 1`,
        `spec.limits[0].default[cpu]: Invalid value: ${amount('2', 0, '2')}: default value 4 is greater than max value 2`,
      ],
    ],
    [
      [{ type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3', memory: '500m' } }],
      [
        `spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: ${amount('3', 0, '3')}: ratio 3 is greater than max/min = 2.000000`,
        `spec.limits[0].maxLimitRequestRatio[memory]: Invalid value: ${amount('500', -3, '500m')}: ratio 500m is less than 1`,
      ],
    ],
    [
      [{ type: 'Container', default: { 'example.com/gpu': '2' }, defaultRequest: { 'example.com/gpu': '1' } }],
      [
        `spec.limits[0].defaultRequest[example.com/gpu]: Invalid value: ${amount('1', 0, '1')}: default value 2 must equal to defaultRequest value 1 in example.com/gpu`,
      ],
    ],
  ])('may not be %j', (items, expected) => {
    expect(limits.created({ 'spec.limits': items })).toEqual(expected);
  });
});

it('the resources of a quota are looked at in steps, however many there are', () => {
  const names = namesOf('kubernetes');
  const definition = loadScheme(names).resource('', 'v1', 'resourcequotas') ?? expect.unreachable();
  const hard = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`odd${i}`, '1']));
  const steps = [...kindRules(definition, names).validateCreate({ metadata: { name: 'a' }, spec: { hard } })];
  const [first, ...others] = steps.flat();
  expect(first?.message).toBe('Too many: 40000: must have at most 1000 items');
  expect(others).toHaveLength(80_000);
  for (const errors of steps) expect(errors.length).toBeLessThanOrEqual(10_000);
});
