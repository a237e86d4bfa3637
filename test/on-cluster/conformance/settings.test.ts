import { expect, test } from 'vitest';
import { orderOf } from './settings.js';

test('by default all cases run on the standalone server, six at once', () => {
  expect(orderOf({})).toEqual({
    suite: 'v1.27.16',
    servers: ['orch'],
    ...{ agent: 'reference', scheduler: 'reference', cases: 'conformance' },
    groups: [],
    only: undefined,
    amends: false,
    atOnce: 6,
    minutes: 120,
    hold: false,
    logs: undefined,
  });
});

test.each([
  ['tiers', ['tiers']],
  ['orch,tiers', ['orch', 'tiers']],
  ['both', ['orch', 'reference']],
  ['all', ['orch', 'tiers', 'reference']],
])('SERVER=%s', (SERVER, servers) => {
  expect(orderOf({ SERVER }).servers).toEqual(servers);
});

test('groups are separated by whatever is at hand', () => {
  expect(orderOf({ SIGS: 'network, storage+node apps' }).groups).toEqual(['network', 'storage', 'node', 'apps']);
});

test.each(['1.37.2', 'v1.37.2'])('SUITE=%s', (SUITE) => {
  expect(orderOf({ SUITE, SERVER: 'tiers' })).toMatchObject({ suite: 'v1.37.2', servers: ['tiers'] });
});

test('the agent of the node and the scheduler may be those of orch, and cases others', () => {
  const order = orderOf({ NODE_AGENT: 'orch', SCHEDULER: 'orch', CASES: 'further' });
  expect(order).toMatchObject({ agent: 'orch', scheduler: 'orch', cases: 'further' });
});

test('HOLD and AMEND are set by their presence', () => {
  expect(orderOf({ HOLD: '', AMEND: '' })).toMatchObject({ hold: true, amends: true });
});

test.each([
  [{ SERVER: 'etcd' }, /^SERVER: orch, tiers, reference, both, all, or several, not etcd$/],
  [{ SERVER: 'constructor' }, /^SERVER: /],
  [{ SERVER: '' }, /^SERVER: /],
  [{ SUITE: '1.37' }, /^SUITE: a release, as 1\.37\.2, not 1\.37$/],
  [{ SUITE: '1.37.2', SERVER: 'both' }, /^SERVER: kube-apiserver 1\.27\.16 runs what fails on one other/],
  [{ SUITE: '1.37.2', SERVER: 'reference' }, /^SERVER: /],
  [{ NODE_AGENT: 'kubelet' }, /^NODE_AGENT: reference or orch, not kubelet$/],
  [{ SCHEDULER: '' }, /^SCHEDULER: reference or orch, not $/],
  [{ CASES: 'all' }, /^CASES: conformance, further, volumes, not all$/],
  [{ CASES: 'constructor' }, /^CASES: /],
  [{ CASES: 'further', SUITE: '1.37.2' }, /^CASES: others/],
  [{ PROCS: '0' }, /^PROCS: a number from 1, not 0$/],
  [{ MINUTES: 'ten' }, /^MINUTES: a number from 1, not ten$/],
  [{ ONLY: '(' }, /regular expression/],
])('%j is refused', (env, message) => {
  expect(() => orderOf(env)).toThrow(message);
});
