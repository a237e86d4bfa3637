import { expect, it } from 'vitest';
import { NodeInfo } from './node-info.js';
import { podInfoOf } from './pod-info.js';

const pod = (uid: string) =>
  podInfoOf({
    metadata: { namespace: 'ns', name: uid, uid },
    spec: {
      containers: [
        {
          ...{ name: 'c', image: 'i', ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] },
          resources: { requests: { cpu: '1', memory: '1Mi', 'example.com/gpu': '2' } },
        },
      ],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }],
    },
  });

const summary = (node: NodeInfo) => ({
  pods: [...node.pods].map(({ uid }) => uid),
  count: node.podCount,
  requested: [node.requested.cpu, node.requested.memory, node.requested.get('example.com/gpu')],
  scored: node.scoredRequested.cpu,
  collides: node.ports.collides({ ip: '10.0.0.1', protocol: 'TCP', port: 80 }),
  users: node.usersOf('ns/claim'),
});

it('is copied with its sums, and neither copy changes the other', () => {
  const node = new NodeInfo('n');
  node.addPod(pod('a'));
  node.addPod(pod('b'));
  const before = summary(node);
  expect(before).toMatchObject({ count: 2, requested: [2_000, 2 << 20, 4], collides: true, users: 2 });
  const fork = node.fork();
  expect(summary(fork)).toEqual(before);
  fork.removePod('a');
  fork.removePod('b');
  expect(summary(fork)).toEqual({
    ...{ pods: [], count: 0, requested: [0, 0, 0], scored: 0 },
    ...{ collides: false, users: 0 },
  });
  expect(summary(node)).toEqual(before);
  node.removePod('a');
  expect([summary(node).requested, summary(fork).requested]).toEqual([
    [1_000, 1 << 20, 2],
    [0, 0, 0],
  ]);
});
