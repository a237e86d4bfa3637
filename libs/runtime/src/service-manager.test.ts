import { describe, expect, test } from 'vitest';
import type { Logger } from './logging/logger.js';
import { ServiceManager } from './service-manager.js';
import { ManualClock } from './testing/manual-clock.js';

const NEVER = new AbortController().signal;

function managerOf(env: NodeJS.ProcessEnv, fails = false) {
  const clock = new ManualClock();
  const sent: string[] = [];
  const errors: unknown[] = [];
  const send = async (socket: string, lines: readonly string[]) => {
    if (fails) throw new Error('nobody there');
    sent.push([socket, ...lines].join(' '));
  };
  const logger = { error: (_text: string, error: unknown) => errors.push(error) } as unknown as Logger;
  return { manager: ServiceManager.take(env, { clock, send, logger }), clock, sent, errors };
}

describe('a service manager', () => {
  test('is none where the variables name no socket', () => {
    expect(managerOf({}).manager).toBeUndefined();
    expect(managerOf({ NOTIFY_SOCKET: '', WATCHDOG_USEC: '10' }).manager).toBeUndefined();
  });

  test('is not handed on to children', () => {
    const env = { NOTIFY_SOCKET: '/s', WATCHDOG_USEC: '10', WATCHDOG_PID: String(process.pid), OTHER: 'x' };
    managerOf(env);
    expect(env).toEqual({ OTHER: 'x' });
  });

  test('hears in order that the process is ready once it is, and that it ends', async () => {
    const { manager, clock, sent } = managerOf({ NOTIFY_SOCKET: '@s' });
    await manager?.status('Starting\nfor real');
    let looks = 0;
    const ready = manager?.readyOnce(async () => ++looks > 2, 'Serving', NEVER);
    await clock.advance(1);
    expect(sent).toEqual(['@s STATUS=Starting for real']);
    await clock.advance(1000);
    await ready;
    await manager?.stopping();
    expect(sent.slice(1)).toEqual(['@s READY=1 STATUS=Serving', '@s STOPPING=1 STATUS=Shutting down']);
    expect(looks).toBe(3);
  });

  test('is not told of a process that ends before it is ready', async () => {
    const { manager, sent, clock } = managerOf({ NOTIFY_SOCKET: '/s' });
    const ending = new AbortController();
    const ready = manager?.readyOnce(async () => false, 'Serving', ending.signal);
    await clock.advance(1000);
    ending.abort();
    await ready;
    expect(sent).toEqual([]);
  });

  test('hears twice in each period that it watches over the process', async () => {
    const { sent, clock } = managerOf({
      NOTIFY_SOCKET: '/s',
      WATCHDOG_USEC: '2000000',
      WATCHDOG_PID: String(process.pid),
    });
    await clock.advance(999);
    expect(sent).toEqual(['/s WATCHDOG=1']);
    for (let second = 1; second <= 4; second++) await clock.advance(1000);
    expect(sent).toHaveLength(5);
  });

  test.each([{ WATCHDOG_USEC: '2000000', WATCHDOG_PID: '1' }, { WATCHDOG_USEC: '0' }, { WATCHDOG_USEC: 'x' }, {}])(
    'hears no sign of life where it has not asked this process for any: %j',
    async (env) => {
      const { sent, clock } = managerOf({ NOTIFY_SOCKET: '/s', ...env });
      await clock.advance(10_000);
      expect(sent).toEqual([]);
    },
  );

  test('that hears nothing is logged once, and tried again', async () => {
    const { manager, errors, clock } = managerOf({ NOTIFY_SOCKET: '/s', WATCHDOG_USEC: '2000000' }, true);
    await manager?.status('Starting');
    await manager?.stopping();
    await clock.advance(10_000);
    expect(errors).toEqual([new Error('nobody there')]);
  });
});
