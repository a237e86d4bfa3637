import { namesOf } from '@orch/machinery';
import { ManualClock } from '@orch/runtime/testing';
import { describe, expect, it } from 'vitest';
import { fairAllocation } from './allocation.js';
import { BOOTSTRAP_LEVELS, bootstrapSchemas } from './bootstrap.js';
import type { FlowRequest, FlowSchema, FlowUser, PriorityLevel } from './configuration.js';
import { Dealer } from './dealer.js';
import { QueuedRequest } from './fair-queues.js';
import { FlowController } from './flow-controller.js';
import { flowSchemaOf, priorityLevelOf } from './objects.js';
import { AT_ONCE, LoopPace, type StartLimiter } from './pace.js';
import { listEstimate, ONE_SEAT, writeEstimate } from './work-estimate.js';

const NAMES = namesOf('kubernetes');
const LEVELS = BOOTSTRAP_LEVELS.map(({ name, spec }) => priorityLevelOf(name, `uid-${name}`, spec) as PriorityLevel);
const SCHEMAS = bootstrapSchemas(NAMES).map(({ name, spec }) => flowSchemaOf(name, `uid-${name}`, spec));

function controller(levels = LEVELS, schemas: readonly FlowSchema[] = SCHEMAS, pace: StartLimiter = AT_ONCE) {
  const clock = new ManualClock();
  const ignored = () => undefined;
  const observer = { waits: ignored, executes: ignored, seats: ignored, queueLength: ignored, noRoom: ignored };
  const flow = new FlowController({
    ...{ seats: 600, maxWaitMs: 60_000, clock, pace },
    observer: { of: () => observer, limits: ignored, adjusted: ignored, forget: ignored },
  });
  flow.configure(levels, schemas);
  return { clock, flow };
}

interface Asked extends FlowRequest {
  readonly user: FlowUser;
}

const request = (more: Partial<Asked> = {}, ...groups: string[]): Asked => ({
  user: { name: 'alice', groups: ['system:authenticated', ...groups] },
  verb: 'get',
  isResourceRequest: true,
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'default',
  path: '/api/v1/namespaces/default/pods/a',
  ...more,
});
const EVERYTHING: FlowSchema['rules'] = [
  {
    subjects: [{ kind: 'User', user: { name: '*' } }],
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
  },
] as never;
const both = (asked: Asked) => [asked.user, asked] as const;
const path = (of: string) => request({ isResourceRequest: false, path: of, resource: '', namespace: '' });
const account = (namespace: string, name: string): FlowUser => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
});

describe('which requests go where', () => {
  const { flow } = controller();
  const lease = { group: 'coordination.k8s.io', resource: 'leases', verb: 'update' };
  it.each<[string, Asked, string, string]>([
    ['exempt', request({}, 'system:masters'), 'exempt', ''],
    ['probes', path('/readyz/ping'), 'exempt', ''],
    ['global-default', path('/readyzz'), 'global-default', 'alice'],
    [
      'system-leader-election',
      request({ ...lease, user: account('kube-system', 'x') }),
      'leader-election',
      'system:serviceaccount:kube-system:x',
    ],
    [
      'service-accounts',
      request({ ...lease, user: account('kube-system-2', 'x') }),
      'workload-low',
      'system:serviceaccount:kube-system-2:x',
    ],
    ['kube-system-service-accounts', request({ user: account('kube-system', 'x') }), 'workload-high', 'default'],
    [
      'system-node-high',
      request({ resource: 'nodes', subresource: 'status', namespace: '' }, 'system:nodes'),
      'node-high',
      'alice',
    ],
    ['system-nodes', request({}, 'system:nodes'), 'system', 'alice'],
    ['service-accounts', request({ user: account('team', 'x') }), 'workload-low', 'system:serviceaccount:team:x'],
    ['global-default', request(), 'global-default', 'alice'],
    ['catch-all', { ...request(), user: { name: 'odd', groups: [] } }, 'catch-all', 'odd'],
  ])('%s', (schema, asked, level, of) => {
    const found = flow.classify(asked.user, asked);
    expect([found.schema.name, found.level.configuration.name, found.flow]).toEqual([schema, level, of]);
    expect(found.schema.uid).toBe(schema === 'catch-all' && asked.user.groups.length === 0 ? '' : `uid-${schema}`);
  });

  it('by precedence and then by name, and never to a level that is not there', () => {
    const everything = SCHEMAS.find(({ name }) => name === 'global-default') as FlowSchema;
    const made = (name: string, precedence: number, priorityLevel = 'system') => ({
      ...everything,
      name,
      precedence,
      priorityLevel,
    });
    const { flow: own } = controller(LEVELS, [made('b', 5), made('a', 5), made('first', 4, 'nosuch')]);
    expect(own.classify(...both(request())).schema.name).toBe('a');
    expect(own.classify(...both(request({}, 'system:masters'))).schema.name).toBe('exempt');
  });
});

describe('seats of levels', () => {
  const limits = ({ flow }: ReturnType<typeof controller>, name: string) => flow.levels.get(name)?.limits;

  it('are divided by their shares, of which some may be lent', () => {
    const made = controller();
    // 600 seats by 245 shares.
    expect(limits(made, 'system')).toEqual({ nominal: 74, least: 50, most: 674 });
    expect(limits(made, 'workload-low')).toEqual({ nominal: 245, least: 24, most: 845 });
    expect(limits(made, 'catch-all')).toEqual({ nominal: 13, least: 13, most: 613 });
    expect(made.flow.levels.get('exempt')?.queues).toBeUndefined();
    expect(made.flow.levels.get('workload-low')?.maxSeats).toBe(37);
    expect(made.flow.levels.get('leader-election')?.maxSeats).toBe(4);
  });

  it('are lent to who wants more, and taken back', async () => {
    const { clock, flow } = controller();
    flow.start();
    const found = flow.classify(...both(request()));
    const entries = Array.from({ length: 400 }, () => flow.enter(found, ONE_SEAT)).filter(
      (entry) => entry instanceof QueuedRequest,
    );
    const { queues } = found.level;
    expect(queues?.executing).toBeLessThan(60);
    await clock.advance(10_000);
    expect(queues?.executing).toBeGreaterThan(150);
    for (const entry of entries) entry.leave();
    for (let round = 0; round < 400; round++) await clock.advance(10_000);
    expect(queues?.limit).toBeLessThan(60);
    flow.stop();
  });

  it('of a level that is taken away are kept until its requests are over', () => {
    const extra = { ...(LEVELS.find(({ name }) => name === 'system') as PriorityLevel), name: 'extra' };
    const schema = {
      ...(SCHEMAS.find(({ name }) => name === 'global-default') as FlowSchema),
      priorityLevel: 'extra',
      precedence: 2,
    };
    const { flow } = controller([...LEVELS, extra], [schema]);
    const found = flow.classify(...both(request()));
    const entry = flow.enter(found, ONE_SEAT);
    flow.configure(LEVELS, SCHEMAS);
    expect(flow.levels.get('extra')?.isEnding).toBe(true);
    expect(flow.classify(...both(request())).level.configuration.name).toBe('global-default');
    if (entry instanceof QueuedRequest) entry.leave();
    flow.configure(LEVELS, SCHEMAS);
    expect(flow.levels.has('extra')).toBe(false);
  });

  it('are given to all who wait in a level that limits nothing any more', async () => {
    const level = { ...(LEVELS.find(({ name }) => name === 'workload-low') as PriorityLevel), name: 'own' };
    const schema = {
      ...(SCHEMAS[0] as FlowSchema),
      name: 'own',
      precedence: 1,
      priorityLevel: 'own',
      rules: EVERYTHING,
    };
    const { flow } = controller([...LEVELS, level], [...SCHEMAS, schema]);
    const ask = () => flow.enter(flow.classify(...both(request())), ONE_SEAT) as QueuedRequest;
    const entries = Array.from({ length: 300 }, ask);
    const waiting = entries.filter(({ state }) => state === 'waiting');
    expect(waiting.length).toBeGreaterThan(10);
    flow.configure([...LEVELS, { ...level, limited: undefined }], [...SCHEMAS, schema]);
    expect(await Promise.all(waiting.map((entry) => entry.seated()))).toEqual(waiting.map(() => true));
    for (const entry of entries) entry.leave();
  });

  it('are needed by nobody in a level that limits nothing, but the time of the process is', () => {
    // It has time for three requests in a round, of which none ends.
    const pace = new LoopPace(
      0.3,
      () => undefined,
      () => 0,
    );
    const { flow } = controller(LEVELS, SCHEMAS, pace);
    const enter = (...groups: string[]) => flow.enter(flow.classify(...both(request({}, ...groups))), ONE_SEAT);
    expect([1, 2].map(() => enter('system:masters'))).toEqual([undefined, undefined]);
    const [third, fourth] = [enter(), enter()] as [QueuedRequest, QueuedRequest];
    expect([third.state, fourth.state]).toEqual(['executing', 'waiting']);
    for (const entry of [third, fourth]) entry.leave();
  });

  it('are there before anything is configured', () => {
    const { flow } = controller([], []);
    expect([...flow.levels.keys()]).toEqual(['exempt', 'catch-all']);
    expect(flow.classify(...both(request())).schema.name).toBe('catch-all');
  });

  it('come to what there is, in the same share of each target as far as bounds allow', () => {
    const wanted = [
      { least: 10, most: 100, target: 10 },
      { least: 0, most: 100, target: 30 },
      { least: 0, most: 20, target: 60 },
    ];
    const given = fairAllocation(100, wanted);
    expect(given.reduce((sum, one) => sum + one, 0)).toBeCloseTo(100, 6);
    expect(given[2]).toBe(20);
    expect((given[0] as number) / 10).toBeCloseTo((given[1] as number) / 30, 6);
    expect(fairAllocation(5, wanted)[0]).toBe(10);
    expect(fairAllocation(1_000, wanted)).toEqual([100, 100, 20]);
    expect(fairAllocation(100, [])).toEqual([]);
  });
});

describe('hands', () => {
  it('hold different queues, the same each time, and few of them are shared', () => {
    const dealer = new Dealer(128, 6);
    const hands = Array.from({ length: 2_000 }, (_, at) => dealer.handOf(`flow-${at}`));
    const used = new Array(128).fill(0);
    for (const hand of hands) {
      expect(new Set(hand).size).toBe(6);
      for (const card of hand) used[card]++;
    }
    // 93.75 each on average.
    expect(Math.min(...used)).toBeGreaterThan(50);
    expect(Math.max(...used)).toBeLessThan(150);
    expect(new Dealer(128, 6).handOf('flow-7')).toEqual(hands[7]);
    expect([...new Dealer(4, 4).handOf('x')].sort()).toEqual([0, 1, 2, 3]);
  });
});

describe('work', () => {
  const list = { stored: 1_000, limit: 0, isFromCache: false, hasSelector: false };
  it.each([
    [{ ...list, stored: undefined }, 1],
    [{ ...list, stored: 10 }, 1],
    [{ ...list, stored: 150 }, 3],
    [{ ...list, limit: 100 }, 2],
    [{ ...list, limit: 100, hasSelector: true }, 10],
    [{ ...list, stored: 400, isFromCache: true }, 4],
    [list, 10],
  ])('of a list: %j takes %d seats', (work, seats) => {
    expect(listEstimate(work, 10).initialSeats).toBe(seats);
  });

  it('of a write goes on for those who watch', () => {
    expect(writeEstimate(9, 10)).toEqual(ONE_SEAT);
    expect(writeEstimate(45, 10)).toEqual({ initialSeats: 1, finalSeats: 5, additionalMs: 5 });
    // As much work in fewer seats.
    expect(writeEstimate(1_000, 4)).toEqual({ initialSeats: 1, finalSeats: 4, additionalMs: 125 });
  });
});
