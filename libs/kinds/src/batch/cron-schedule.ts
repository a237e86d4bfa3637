/**
 * Schedules of five fields (minute, hour, day of month, month, day of week), `@hourly` and the like, and `@every 1h`,
 * with a zone in front of them if need be: `CRON_TZ=Europe/Berlin 0 6 * * *`.
 */

interface Bounds {
  readonly low: number;
  readonly high: number;
  readonly names?: readonly string[];
}

const FIELDS: readonly Bounds[] = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  {
    low: 1,
    high: 12,
    names: ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { low: 0, high: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];
const DESCRIPTORS = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);
const DURATION = /^[-+]?(0|(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/;
const EVERY = '@every ';
/**
 * Longest schedule. Five fields that list all their values are much shorter; every reader of the schedule parses all of
 * it.
 */
const MAX_LENGTH = 4_096;

/** Returns the error of a schedule, in the words that clients know; undefined for a valid one. */
export function scheduleError(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return `expected at most ${MAX_LENGTH} characters, found ${text.length}`;
  const zoned = /^(?:CRON_)?TZ=(\S*)\s*/.exec(text);
  if (zoned && !isTimeZone(zoned[1] ?? '')) return `provided bad location ${zoned[1]}: unknown time zone ${zoned[1]}`;
  const schedule = zoned ? text.slice(zoned[0].length).trim() : text;
  if (schedule.startsWith('@')) return descriptorError(schedule);
  const parts = schedule.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== FIELDS.length) {
    return `expected exactly ${FIELDS.length} fields, found ${parts.length}: [${parts.join(' ')}]`;
  }
  for (const [index, bounds] of FIELDS.entries()) {
    for (const range of (parts[index] ?? '').split(',').filter((item) => item !== '')) {
      const error = rangeError(range, bounds);
      if (error !== undefined) return error;
    }
  }
  return undefined;
}

/** Whether a name is that of a time zone; '' is UTC. */
export function isTimeZone(name: string): boolean {
  if (name === '' || name === 'UTC' || name === 'Local') return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function descriptorError(text: string): string | undefined {
  if (DESCRIPTORS.has(text)) return undefined;
  if (!text.startsWith(EVERY)) return `unrecognized descriptor: ${text}`;
  const duration = text.slice(EVERY.length);
  if (DURATION.test(duration)) return undefined;
  return `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`;
}

/** `*`, `5`, `1-5`, `mon-fri`, each with `/2` behind it if need be. */
function rangeError(text: string, bounds: Bounds): string | undefined {
  const [range = '', stepText, ...moreSteps] = text.split('/');
  const [lowText = '', highText, ...moreHyphens] = range.split('-');
  const open = lowText === '*' || lowText === '?';
  const low = open ? bounds.low : boundOf(lowText, bounds);
  if (typeof low === 'string') return low;
  if (!open && moreHyphens.length > 0) return `too many hyphens: ${text}`;
  const named = open ? bounds.high : highText === undefined ? low : boundOf(highText, bounds);
  if (typeof named === 'string') return named;
  if (moreSteps.length > 0) return `too many slashes: ${text}`;
  const step = stepText === undefined ? 1 : integerOf(stepText);
  if (typeof step === 'string') return step;
  const high = stepText !== undefined && highText === undefined ? bounds.high : named;
  return orderError(text, bounds, low, high, step);
}

function orderError(text: string, bounds: Bounds, low: number, high: number, step: number): string | undefined {
  if (low < bounds.low) return `beginning of range (${low}) below minimum (${bounds.low}): ${text}`;
  if (high > bounds.high) return `end of range (${high}) above maximum (${bounds.high}): ${text}`;
  if (low > high) return `beginning of range (${low}) beyond end of range (${high}): ${text}`;
  return step === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

function boundOf(text: string, { names }: Bounds): number | string {
  const named = text === '' ? -1 : (names?.indexOf(text.toLowerCase()) ?? -1);
  return named >= 0 ? named : integerOf(text);
}

/** Returns the number, or its error. */
function integerOf(text: string): number | string {
  if (!/^[-+]?\d+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}
