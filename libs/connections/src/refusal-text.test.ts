import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { refusalText } from './refusal-text.js';

afterEach(() => {
  vi.useRealTimers();
});

it('is what has arrived after 10 s', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const body = new PassThrough();
  const text = refusalText(body);
  body.write('not ');
  body.write('here');
  await vi.advanceTimersByTimeAsync(9_999);
  expect(body.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await text).toBe('not here');
  expect(vi.getTimerCount()).toBe(0);
});

it('is no longer than 50,000 bytes', async () => {
  const body = new PassThrough();
  const text = refusalText(body);
  body.write('x'.repeat(60_000));
  expect(await text).toHaveLength(50_000);
  expect(body.destroyed).toBe(true);
});
