import { timestamp } from './arithmetic.js';
import { Failure, Timestamp, type Value } from './value.js';

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(.*)$/;
const ZONE = /^(?:Z|([+-])(\d\d):(\d\d))$/;
const SECOND = 1_000_000_000n;
/** Characters of the longest text that is parsed as a time. */
const LONGEST = 1_000;

/** Thrown for texts that are no times, with the reference's message. */
export class TimeTextError extends Error {}

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const fault = (text: string, what: string) => new TimeTextError(`parsing time ${JSON.stringify(text)}${what}`);

/** Returns a day in milliseconds since 1970; years below 100 are taken literally. */
function dayStart(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime();
}

function checkedDay(text: string, parts: readonly [number, number, number]): number {
  const [year, month, day] = parts;
  const days = month === 2 && isLeapYear(year) ? 29 : MONTH_DAYS[month - 1];
  if (days === undefined) throw fault(text, ': month out of range');
  if (day < 1 || day > days) throw fault(text, ': day out of range');
  return dayStart(year, month, day);
}

/** Parses a time of RFC 3339; with `local` one without a zone is in UTC. @throws TimeTextError */
export function parseTimestamp(text: string, local = false): Timestamp {
  const match = text.length > LONGEST ? null : TIME.exec(text);
  if (!match) throw fault(text, ` as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(text)}`);
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as number[];
  const midnight = checkedDay(text, [year as number, month as number, day as number]);
  if ((hour as number) > 23) throw fault(text, ': hour out of range');
  if ((minute as number) > 59) throw fault(text, ': minute out of range');
  if ((second as number) > 59) throw fault(text, ': second out of range');
  const offset = offsetOf(text, match[8] ?? '', local);
  const seconds = midnight / 1000 + (hour as number) * 3600 + (minute as number) * 60 + (second as number) - offset;
  const fraction = BigInt((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
  return new Timestamp(BigInt(seconds) * SECOND + fraction, offset);
}

function offsetOf(text: string, zone: string, local: boolean): number {
  if (local && zone === '') return 0;
  const match = ZONE.exec(zone);
  const [hours, minutes] = [Number(match?.[2] ?? 0), Number(match?.[3] ?? 0)];
  if (!match || hours > 24 || minutes > 60) {
    const extra = local
      ? `: extra text: ${JSON.stringify(zone)}`
      : ` as "2006-01-02T15:04:05Z07:00": cannot parse "${zone}"`;
    throw fault(text, extra);
  }
  return (hours * 3600 + minutes * 60) * (match[1] === '-' ? -1 : 1);
}

/** Parses a day, as its first moment in UTC. @throws TimeTextError */
export function parseDate(text: string): Timestamp {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!match) throw dateFault(text);
  const parts = match.slice(1).map(Number) as [number, number, number];
  return new Timestamp(BigInt(checkedDay(text, parts)) * 1_000_000n);
}

/** Parts of a date with their names in Go. */
const DATE_PARTS: readonly (readonly [form: RegExp, name: string])[] = [
  [/^\d{4}/, '2006'],
  [/^-/, '-'],
  [/^\d\d/, '01'],
  [/^-/, '-'],
  [/^\d\d/, '02'],
];

/** Returns the error about the invalid part of a date. */
function dateFault(text: string): TimeTextError {
  let rest = text;
  for (const [form, name] of DATE_PARTS) {
    const found = form.exec(rest);
    if (!found) return fault(text, ` as "2006-01-02": cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(name)}`);
    rest = rest.slice(found[0].length);
  }
  return fault(text, `: extra text: ${JSON.stringify(rest)}`);
}

const divided = (a: bigint, b: bigint): readonly [bigint, bigint] => {
  const rest = ((a % b) + b) % b;
  return [(a - rest) / b, rest];
};

/** Formats the time by RFC 3339 with all fraction digits, in its original zone. */
export function formatTimestamp({ nanoseconds, offset }: Timestamp): string {
  const [seconds, rest] = divided(nanoseconds, SECOND);
  const date = new Date((Number(seconds) + offset) * 1000);
  const year = String(date.getUTCFullYear()).padStart(4, '0');
  const text =
    year +
    date
      .toISOString()
      .replace(/^[+-]?\d+(?=-)/, '')
      .slice(0, 15);
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(9, '0').replace(/0+$/, '')}`;
  return text + fraction + formatOffset(offset);
}

function formatOffset(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.floor(Math.abs(offset) / 60);
  const [h, m] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${offset < 0 ? '-' : '+'}${h}:${m}`;
}

/** Seconds since 1970, rounded down. */
export const secondsOf = ({ nanoseconds }: Timestamp): bigint => divided(nanoseconds, SECOND)[0];

/** A point in time of whole seconds since 1970. */
export const timestampOfSeconds = (seconds: bigint): Value => timestamp(seconds * SECOND);

const FORMATS = new Map<string, Intl.DateTimeFormat>();
/** Zones whose formatters are cached. */
const MOST_FORMATS = 1_000;

function formatFor(zone: string): Intl.DateTimeFormat {
  const known = FORMATS.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    // Not `iso8601`, which some releases of node treat as Julian before 1582.
    calendar: 'gregory',
    era: 'short',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (FORMATS.size < MOST_FORMATS) FORMATS.set(zone, format);
  return format;
}

/** The wall clock of a zone: a date whose UTC parts are the zone's. */
function wallClock(ms: number, zone: string): Date | Failure {
  if (zone === '' || zone === 'UTC') return new Date(ms);
  const colon = zone.indexOf(':');
  if (colon >= 0) return shifted(ms, zone, colon);
  // The reference's zone names are files: `America/New_York`, never offsets.
  if (/^[/\\]|\.\./.test(zone)) return new Failure('time: invalid location name');
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(zone)) return new Failure(`unknown time zone ${zone}`);
  try {
    const parts = new Map(
      formatFor(zone)
        .formatToParts(ms)
        .map(({ type, value }) => [type, value]),
    );
    const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type) ?? 0);
    const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year');
    const midnight = dayStart(year, part('month'), part('day'));
    const second = part('hour') * 3600 + part('minute') * 60 + part('second');
    return new Date(midnight + second * 1000 + (((ms % 1000) + 1000) % 1000));
  } catch (error) {
    if (error instanceof RangeError) return new Failure(`unknown time zone ${zone}`);
    throw error;
  }
}

function shifted(ms: number, zone: string, colon: number): Date | Failure {
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)];
  for (const part of [hours, minutes])
    if (!/^[+-]?\d{1,9}$/.test(part))
      return new Failure(`strconv.Atoi: parsing ${JSON.stringify(part)}: invalid syntax`);
  const offset = Number(hours) * 60 + (zone.startsWith('-') ? -1 : 1) * Number(minutes);
  return new Date(ms + offset * 60_000);
}

const yearDay = (date: Date): number =>
  Math.floor((date.getTime() - dayStart(date.getUTCFullYear(), 1, 1)) / 86_400_000);

/** Parts of a point in time, by the names of their functions. */
const PARTS: ReadonlyMap<string, (date: Date) => number> = new Map([
  ['getFullYear', (date) => date.getUTCFullYear()],
  ['getMonth', (date) => date.getUTCMonth()],
  ['getDayOfYear', yearDay],
  ['getDayOfMonth', (date) => date.getUTCDate() - 1],
  ['getDate', (date) => date.getUTCDate()],
  ['getDayOfWeek', (date) => date.getUTCDay()],
  ['getHours', (date) => date.getUTCHours()],
  ['getMinutes', (date) => date.getUTCMinutes()],
  ['getSeconds', (date) => date.getUTCSeconds()],
  ['getMilliseconds', (date) => date.getUTCMilliseconds()],
]);

/** Names of the functions that return parts of times. */
export const TIME_PARTS: readonly string[] = [...PARTS.keys()];

/** Returns a part of a point in time in a zone, which is a name or an offset such as `-08:00`. */
export function timePart(name: string, time: Timestamp, zone: string): Value {
  const ms = Number(divided(time.nanoseconds, 1_000_000n)[0]);
  const date = wallClock(ms, zone);
  const part = PARTS.get(name);
  if (date instanceof Failure) return date;
  return part ? BigInt(part(date)) : new Failure(`no such overload: ${name}`);
}
