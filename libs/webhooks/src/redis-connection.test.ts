import { expect, it } from 'vitest';
import { RedisHealth } from './redis-connection.js';

it('takes Redis for gone without a connection, and for a while after a question without an answer', () => {
  const redis: { status: string } = { status: 'connecting' };
  let now = 0;
  const health = new RedisHealth(redis as ConstructorParameters<typeof RedisHealth>[0], () => now);
  expect(health.isUsable).toBe(false);
  redis.status = 'ready';
  expect(health.isUsable).toBe(true);
  health.failed();
  now = 30_000;
  expect(health.isUsable).toBe(false);
  now = 30_001;
  expect(health.isUsable).toBe(true);
  health.failed();
  health.answered();
  expect(health.isUsable).toBe(true);
});
