import { formatMicroTime } from '@orch/machinery';
import { expect, it } from 'vitest';
import { timeText } from './time-text.js';

it('tells microseconds, in whichever order seconds come', () => {
  const at = Date.parse('2026-01-02T03:04:05.678Z');
  for (const ms of [at, at + 0.5, at - 3_000, at + 999.25, at + 86_400_000, at]) {
    const whole = Math.floor(ms);
    expect(timeText(ms)).toBe(formatMicroTime(whole, Math.floor((ms - whole) * 1000)));
  }
  expect(timeText(at + 0.25)).toBe('2026-01-02T03:04:05.678250Z');
});
