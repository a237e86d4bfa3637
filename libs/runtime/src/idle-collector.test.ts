import { expect, test } from 'vitest';
import { IdleCollector } from './idle-collector.js';
import { ManualClock } from './testing/manual-clock.js';

const MB = 1 << 20;

function start(quietMs = 10_000) {
  const clock = new ManualClock();
  const used = { cpu: 0, rss: 100 * MB, dead: 0, collections: 0 };
  const process = {
    cpu: () => used.cpu,
    rss: () => used.rss,
    collect() {
      used.collections++;
      used.cpu += 50;
      used.rss -= used.dead / 2;
    },
  };
  const collector = new IdleCollector({ quietMs, clock, process });
  collector.start();
  return { clock, used, collector };
}

test('a process that was busy and is left alone collects twice, once', async () => {
  const { clock, used } = start();
  used.rss += 200 * MB;
  used.dead = 200 * MB;
  for (let look = 0; look < 20; look++) {
    used.cpu += 1000;
    await clock.advance(2_000);
  }
  expect(used.collections).toBe(0);
  await clock.advance(10_000);
  expect(used.collections).toBe(1);
  await clock.advance(60_000);
  expect([used.collections, used.rss / MB]).toEqual([2, 100]);
});

test('a moment of work begins the quiet time anew', async () => {
  const { clock, used } = start();
  used.rss += 200 * MB;
  for (let look = 0; look < 12; look++) {
    if (look % 4 === 3) used.cpu += 500;
    await clock.advance(2_000);
  }
  expect(used.collections).toBe(0);
});

test('what has hardly grown is left alone', async () => {
  const { clock, used } = start();
  used.rss += 10 * MB;
  await clock.advance(600_000);
  expect(used.collections).toBe(0);
});

test('zero is never, and a stopped one leaves no timer', async () => {
  expect(start(0).clock.pending).toBe(0);
  const { clock, collector } = start();
  collector.stop();
  expect(clock.pending).toBe(0);
});

test('the process itself can be collected', async () => {
  const collector = new IdleCollector({ quietMs: 1 });
  collector.start();
  collector.stop();
});
