import { formatTime } from '@orch/machinery';

const SECOND_MS = 1_000;
const MICROS_A_MILLISECOND = 1_000;
const MICRO_DIGITS = 6;

/** The last requested second: most requests are in the same one, and formatting a date is expensive. */
let lastSecond = Number.NaN;
let lastText = '';

/** Formats milliseconds since 1970, with fractions, by RFC 3339 with microseconds, truncated. */
export function timeText(ms: number): string {
  const second = Math.floor(ms / SECOND_MS);
  if (second !== lastSecond) {
    lastSecond = second;
    lastText = formatTime(second * SECOND_MS).slice(0, -1);
  }
  const micros = Math.floor((ms - second * SECOND_MS) * MICROS_A_MILLISECOND);
  return `${lastText}.${String(micros).padStart(MICRO_DIGITS, '0')}Z`;
}
