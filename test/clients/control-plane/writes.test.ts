import { expect, test } from 'vitest';
import { isExpiry, isHeartbeat, type Write } from './writes.js';

const write = (more: Partial<Write>): Write => ({
  version: '1',
  resource: '/nodes',
  kind: 'changed',
  object: '/fake-0',
  members: ['status.conditions.0.lastHeartbeatTime', 'status.conditions.12.lastHeartbeatTime'],
  ...more,
});

test.each<[string, Partial<Write>, boolean]>([
  ['times alone', {}, true],
  ['a condition too', { members: ['status.conditions.0.lastHeartbeatTime', 'status.conditions.0.status'] }, false],
  ['nothing, but written', { members: [] }, false],
  ['times of another kind', { resource: '/pods' }, false],
  ['a node that goes', { kind: 'removed', members: [] }, false],
])('of a node: %s', (_what, more, expected) => {
  expect(isHeartbeat(write(more))).toBe(expected);
});

test.each<[Partial<Write>, boolean]>([
  [{ resource: '/events', kind: 'removed' }, true],
  [{ resource: 'events.k8s.io/events', kind: 'removed' }, true],
  [{ resource: '/events', kind: 'changed' }, false],
  [{ resource: '/pods', kind: 'removed' }, false],
])('of events only their end is to be: %j', (more, expected) => {
  expect(isExpiry(write(more))).toBe(expected);
});
