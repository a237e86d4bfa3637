import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { type Component, Lifecycle } from './lifecycle.js';
import { silentLogger } from './logging/logger.js';
import { runToCompletion } from './process.js';
import { ManualClock } from './testing/manual-clock.js';

function stage(settings: { shutdownDelayMs?: number; drainMs?: number } = {}) {
  const clock = new ManualClock();
  const events: string[] = [];
  const lifecycle = new Lifecycle({ clock, ...settings });
  const component = (name: string, override: Partial<Component> = {}): Component => ({
    name,
    async start() {
      events.push(`start ${name}`);
    },
    async stop() {
      events.push(`stop ${name} @${clock.now()}`);
    },
    ...override,
  });
  return { clock, events, lifecycle, component };
}

test('starts in order, stops in reverse after the delay, with readiness red at once', async () => {
  const { clock, events, lifecycle, component } = stage({ shutdownDelayMs: 500 });
  lifecycle.add(component('store')).add(component('server'));
  await lifecycle.start();
  const stopped = lifecycle.stop();
  expect(lifecycle.stopping.aborted).toBe(true);
  await clock.advance(499);
  expect(events).toEqual(['start store', 'start server']);
  await clock.advance(1);
  expect(await stopped).toEqual([]);
  expect(events.slice(2)).toEqual(['stop server @500', 'stop store @500']);
  expect(await lifecycle.stop()).toEqual([]);
  expect(events).toHaveLength(4);
  expect(clock.pending).toBe(0);
  expect(() => lifecycle.add(component('late'))).toThrow('late');
});

test('a failed start stops what was started, and what it had come to itself, without delay', async () => {
  const { events, lifecycle, component } = stage({ shutdownDelayMs: 500 });
  lifecycle
    .add(component('store'))
    .add(component('server', { start: () => Promise.reject(new Error('port in use')) }))
    .add(component('never'));
  await expect(lifecycle.start()).rejects.toThrow('port in use');
  expect(events).toEqual(['start store', 'stop server @0', 'stop store @0']);
});

test('a stop during the start waits for the component at hand and starts no more', async () => {
  const { events, lifecycle, component } = stage();
  let opened = () => {};
  const opening = new Promise<void>((resolve) => {
    opened = resolve;
  });
  lifecycle.add(component('store', { start: () => opening })).add(component('server'));
  const started = lifecycle.start();
  const stopped = lifecycle.stop();
  opened();
  await started;
  await stopped;
  expect(events).toEqual(['stop store @0']);
});

test('a stop during a start that does not end gives it up, stops what was started, and ends the process', async () => {
  const { clock, events, lifecycle, component } = stage({ drainMs: 1000, shutdownDelayMs: 500 });
  const control = new FakeProcess();
  lifecycle.add(component('store')).add(component('feed', { start: () => new Promise(() => {}) }));
  lifecycle.add(component('server'));
  const onStopped = async () => void events.push(`stopped @${clock.now()}`);
  const finished = runToCompletion(lifecycle, silentLogger, undefined, control, onStopped);
  await clock.settle();
  control.emit('SIGTERM');
  await clock.advance(999);
  expect(events).toEqual(['start store']);
  await clock.advance(1);
  expect(await finished).toBe(0);
  expect(events).toEqual(['start store', 'stop store @1000', 'stopped @1000']);
  expect(control.exits).toEqual([0]);
  expect(clock.pending).toBe(0);
});

test('a start that does not end is given up after three seconds at most', async () => {
  const { clock, lifecycle, component } = stage();
  lifecycle.add(component('feed', { start: () => new Promise(() => {}) }));
  void lifecycle.start();
  const stopped = lifecycle.stop();
  await clock.advance(2999);
  expect(lifecycle.leftStart.aborted).toBe(false);
  await clock.advance(1);
  expect(await stopped).toEqual([]);
  expect(lifecycle.leftStart.aborted).toBe(true);
});

test('a component that fails to start since it was told to stop is no failure, and is stopped', async () => {
  const { events, lifecycle, component } = stage();
  const start = () =>
    new Promise<void>((_, reject) => lifecycle.stopping.addEventListener('abort', () => reject(new Error('told'))));
  lifecycle.add(component('store', { start })).add(component('server'));
  const control = new FakeProcess();
  let stopped = 0;
  const finished = runToCompletion(lifecycle, silentLogger, undefined, control, async () => void stopped++);
  control.emit('SIGTERM');
  expect(await finished).toBe(0);
  expect([events, stopped, control.exits]).toEqual([['stop store @0'], 1, []]);
});

test('a component that drains too long is told, and one that hangs is given up', async () => {
  const { clock, events, lifecycle, component } = stage({ drainMs: 1000 });
  const hung = component('hung', { stop: () => new Promise(() => {}) });
  const polite = component('polite', {
    stop: (deadline) =>
      new Promise((resolve) => {
        deadline.addEventListener('abort', () => {
          events.push(`polite cut @${clock.now()}`);
          resolve();
        });
      }),
  });
  lifecycle.add(component('store')).add(hung).add(polite);
  await lifecycle.start();
  const stopped = lifecycle.stop();
  await clock.advance(10_000);
  expect(await stopped).toEqual([new Error('hung did not stop in time')]);
  expect(events).toEqual(['start store', 'start hung', 'start polite', 'polite cut @1000', 'stop store @3000']);
  expect(clock.pending).toBe(0);
});

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number) {
    this.exits.push(code);
  }
}

test('one signal is graceful, and listeners are taken off', async () => {
  const { events, lifecycle, component } = stage();
  const control = new FakeProcess();
  lifecycle.add(component('server'));
  const code = await runToCompletion(lifecycle, silentLogger, () => control.emit('SIGTERM'), control);
  expect(code).toBe(0);
  expect(events).toEqual(['start server', 'stop server @0']);
  expect(control.exits).toEqual([]);
  expect(control.eventNames()).toEqual([]);
});

test('a second signal exits at once', async () => {
  const { clock, lifecycle, component } = stage({ shutdownDelayMs: 1000 });
  const control = new FakeProcess();
  lifecycle.add(component('server'));
  const twice = () => {
    control.emit('SIGINT');
    control.emit('SIGTERM');
  };
  const finished = runToCompletion(lifecycle, silentLogger, twice, control);
  await clock.advance(1000);
  await finished;
  expect(control.exits).toEqual([1]);
});

test('what fails behind the end of everything ends the process with 1, and is done once', async () => {
  const { events, lifecycle, component } = stage();
  lifecycle.add(component('server'));
  const control = new FakeProcess();
  let calls = 0;
  const fails = () => Promise.reject(new Error(`no ${++calls}`));
  expect(await runToCompletion(lifecycle, silentLogger, () => control.emit('SIGTERM'), control, fails)).toBe(1);
  expect([events, calls]).toEqual([['start server', 'stop server @0'], 1]);
});

test('a failing component ends the process with 1, without delay', async () => {
  const { events, lifecycle, component } = stage({ shutdownDelayMs: 1000 });
  lifecycle.add(component('server'));
  const fail = () => lifecycle.fail(new Error('lost the database'));
  expect(await runToCompletion(lifecycle, silentLogger, fail, new FakeProcess())).toBe(1);
  expect(events).toEqual(['start server', 'stop server @0']);
  const unready = stage();
  unready.lifecycle.add(unready.component('x', { start: () => Promise.reject(new Error('no')) }));
  expect(await runToCompletion(unready.lifecycle, silentLogger, undefined, new FakeProcess())).toBe(1);
});
