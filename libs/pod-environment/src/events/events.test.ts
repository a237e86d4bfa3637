import type { Client } from '@orch/client';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import type { Pod } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import { EventRecorder } from './event-recorder.js';

const pod: Pod = { metadata: { name: 'p', namespace: 'ns', uid: 'u', resourceVersion: '7' } };

function recorded(qps = 1000, burst = 1000) {
  const clock = new ManualClock();
  const created: Record<string, unknown>[] = [];
  const patched: Record<string, unknown>[] = [];
  const state = { isDown: false };
  const client = {
    async create(_ref: unknown, event: Record<string, unknown>) {
      if (state.isDown) throw new Error('down');
      created.push(event);
      return event;
    },
    async patch(_ref: unknown, name: string, _type: string, patch: object) {
      if (state.isDown) throw new Error('down');
      patched.push({ name, ...patch });
      return {};
    },
  } as unknown as Pick<Client, 'create' | 'patch'>;
  const recorder = new EventRecorder({ client, nodeName: 'n', qps, burst, clock, logger: silentLogger });
  return { clock, created, patched, recorder, state };
}

describe('events', () => {
  it('say what happened to what', async () => {
    const { clock, created, recorder } = recorded();
    recorder.ofPod(pod, 'Warning', 'Failed', 'Error: x', 'spec.containers{c}');
    recorder.ofNode('Normal', 'Starting', 'Starting kubelet.');
    await clock.settle();
    expect(created).toMatchObject([
      {
        metadata: { namespace: 'ns', name: expect.stringMatching(/^p\.[0-9a-f]{16}$/) },
        involvedObject: { kind: 'Pod', name: 'p', uid: 'u', resourceVersion: '7', fieldPath: 'spec.containers{c}' },
        ...{ type: 'Warning', reason: 'Failed', message: 'Error: x', count: 1 },
        ...{ firstTimestamp: '2023-04-11T00:00:00Z', source: { component: 'kubelet', host: 'n' } },
      },
      { metadata: { namespace: 'default' }, involvedObject: { kind: 'Node', name: 'n' } },
    ]);
  });

  it('are counted when they are repeated', async () => {
    const { clock, created, patched, recorder } = recorded();
    for (let at = 0; at < 3; at++) {
      recorder.ofPod(pod, 'Warning', 'BackOff', 'again');
      await clock.advance(1_000);
    }
    expect([created.length, patched.map(({ count }) => count)]).toEqual([1, [2, 3]]);
  });

  it('become one when many are alike', async () => {
    const { clock, created, patched, recorder } = recorded();
    for (let at = 0; at < 12; at++) recorder.ofPod(pod, 'Warning', 'Failed', `message ${at}`);
    await clock.settle();
    expect(created.map(({ message }) => message).slice(8)).toEqual([
      'message 8',
      '(combined from similar events): message 9',
      '(combined from similar events): message 10',
      '(combined from similar events): message 11',
    ]);
    expect(patched).toEqual([]);
  });

  it('of one object are limited, and all together', async () => {
    const { clock, created, patched, recorder } = recorded();
    for (let at = 0; at < 100; at++) recorder.ofPod(pod, 'Normal', 'R', 'm');
    await clock.settle();
    expect(created.length + patched.length).toBe(25);
    const slow = recorded(1, 3);
    for (let at = 0; at < 10; at++)
      slow.recorder.ofPod({ metadata: { name: `p${at}`, namespace: 'ns', uid: `u${at}` } }, 'Normal', 'R', 'm');
    await slow.clock.settle();
    expect(slow.created).toHaveLength(3);
  });

  it('of a pod that is gone are forgotten, once they are written', async () => {
    const { clock, created, recorder } = recorded();
    for (let at = 0; at < 50; at++) {
      const gone = { metadata: { name: `p${at}`, namespace: 'ns', uid: `u${at}` } };
      recorder.ofPod(gone, 'Normal', 'R', 'm');
      recorder.forget(gone);
    }
    recorder.ofPod(pod, 'Normal', 'R', 'm');
    await clock.settle();
    expect([created.length, recorder.size]).toEqual([51, 1]);
  });

  it('are lost when they cannot be written, and nothing else is', async () => {
    const { clock, created, recorder, state } = recorded();
    state.isDown = true;
    recorder.ofPod(pod, 'Normal', 'R', 'm');
    await clock.settle();
    state.isDown = false;
    recorder.ofPod(pod, 'Normal', 'R', 'm');
    await clock.settle();
    expect(created).toHaveLength(1);
    await recorder.stop();
    recorder.ofPod(pod, 'Normal', 'R', 'm2');
    await clock.settle();
    expect(created).toHaveLength(1);
  });
});
