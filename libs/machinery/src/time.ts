/** Thrown for texts that are not RFC 3339 times. */
export class TimeError extends Error {
  override readonly name = 'TimeError';
}

/** Times as the server itself writes them, on days that every month has. */
const PLAINLY_CANONICAL = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

interface Parsed {
  /** Whole seconds since 1970, rounded down. */
  readonly seconds: number;
  /** Digits after the decimal point, as written. */
  readonly fraction: string;
}

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

function parse(text: string): Parsed {
  const match = RFC3339.exec(text);
  if (!match) throw malformed(text);
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const days = month === 2 && isLeapYear(year) ? 29 : MONTH_DAYS[month - 1];
  if (days === undefined || day < 1 || day > days || hour > 23 || minute > 59 || second > 59) throw malformed(text);
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (offsetHour > 24 || offsetMinute > 59) throw malformed(text);
  const offset = (offsetHour * 60 + offsetMinute) * 60 * (match[8] === '-' ? -1 : 1);
  return { seconds: Date.parse(`${text.slice(0, 19)}Z`) / 1000 - offset, fraction: match[7] ?? '' };
}

const malformed = (text: string, layout = '2006-01-02T15:04:05Z07:00') =>
  new TimeError(`parsing time ${JSON.stringify(text)} as "${layout}": cannot parse ${JSON.stringify(text)}`);

/** Parses an RFC 3339 time, to milliseconds since 1970. @throws TimeError */
export function parseTime(text: string): number {
  const { seconds, fraction } = parse(text);
  return seconds * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}

/** Formats a time as objects have it: `2026-01-02T03:04:05Z`. Fractions of a second are cut off. */
export function formatTime(ms: number): string {
  const text = new Date(Math.floor(ms / 1000) * 1000).toISOString();
  return `${text.slice(0, -5)}Z`;
}

/** Formats a time of microsecond precision as objects have it: `2026-01-02T03:04:05.000006Z`. */
export function formatMicroTime(ms: number, micros = 0): string {
  const text = new Date(ms).toISOString();
  return `${text.slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}

/** Returns any RFC 3339 time in the form of {@link formatTime}. @throws TimeError */
export function normalizeTime(text: string): string {
  return PLAINLY_CANONICAL.test(text) ? text : formatTime(parse(text).seconds * 1000);
}

/**
 * Returns an RFC 3339 time with exactly six fraction digits, in the form of {@link formatMicroTime}. @throws TimeError
 */
export function normalizeMicroTime(text: string): string {
  const { seconds, fraction } = parse(text);
  if (fraction.length !== 6) throw malformed(text, '2006-01-02T15:04:05.000000Z07:00');
  return `${formatTime(seconds * 1000).slice(0, -1)}.${fraction}Z`;
}
