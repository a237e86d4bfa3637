const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** From which length on (exclusive upper bound) a duration is shown in which pair of units. */
const STEPS: readonly { readonly below: number; readonly unit: number; readonly minor?: number }[] = [
  { below: 2 * MINUTE, unit: SECOND },
  { below: 10 * MINUTE, unit: MINUTE, minor: SECOND },
  { below: 3 * HOUR, unit: MINUTE },
  { below: 8 * HOUR, unit: HOUR, minor: MINUTE },
  { below: 2 * DAY, unit: HOUR },
  { below: 8 * DAY, unit: DAY, minor: HOUR },
  { below: 2 * YEAR, unit: DAY },
  { below: 8 * YEAR, unit: YEAR, minor: DAY },
  { below: Number.POSITIVE_INFINITY, unit: YEAR },
];

const LETTER = new Map([
  [SECOND, 's'],
  [MINUTE, 'm'],
  [HOUR, 'h'],
  [DAY, 'd'],
  [YEAR, 'y'],
]);

/**
 * Returns a duration in milliseconds as tables show it: two units at most, the second one only where it still matters
 * (`5m32s`, `3d4h`, `47h`). A little below zero counts as zero; further below is `<invalid>`.
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / SECOND);
  if (seconds < -1) return '<invalid>';
  const length = Math.max(milliseconds, 0);
  const { unit, minor } = STEPS.find(({ below }) => length < below) ?? { unit: YEAR };
  const major = `${Math.floor(length / unit)}${LETTER.get(unit)}`;
  if (minor === undefined) return major;
  const rest = Math.floor((length % unit) / minor);
  return rest === 0 ? major : `${major}${rest}${LETTER.get(minor)}`;
}

/** How long ago an RFC 3339 time was, or `<unknown>` for none. */
export function age(timestamp: unknown, now: number): string {
  const time = timeOf(timestamp);
  return time === undefined ? '<unknown>' : humanDuration(now - time);
}

/** Milliseconds since the epoch of an RFC 3339 time; undefined for none. */
export function timeOf(timestamp: unknown): number | undefined {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
