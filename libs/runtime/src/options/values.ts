/** Thrown by the parsers below; the message names the value but not the option, which the caller knows. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
}

const refuse = (text: string, what: string): never => {
  throw new ValueError(`${JSON.stringify(text)} is not ${what}`);
};

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** Accepts the spellings of Go's `strconv.ParseBool`. */
export function parseBool(text: string): boolean {
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  return refuse(text, 'a boolean (true or false)');
}

/** Parses a decimal integer, with a sign or without; refuses those beyond 2^53. */
export function parseInteger(text: string): number {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : refuse(text, 'an integer');
}

/** Parses a decimal number, with an exponent or without. */
export function parseFloating(text: string): number {
  const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : refuse(text, 'a number');
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Parses a Go duration (`1h30m`, `5m0s`, `250ms`, `0`) to milliseconds. */
export function parseDuration(text: string): number {
  if (text === '0') return 0;
  const form = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(text);
  if (!form) return refuse(text, 'a duration (such as 300ms, 90s, 5m0s or 1h30m)');
  let total = 0;
  for (const [, amount, unit] of (form[2] ?? '').matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return form[1] === '-' ? -total : total;
}

/** Formats milliseconds as a Go duration: `5m0s`, `1.5s`, `250ms`, `0s`. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms === 0) return '0s';
  if (ms < 1000) return `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = Number(((ms % 60_000) / 1000).toFixed(9));
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}

const UNIT_BYTES: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** Parses a size in bytes, with the suffixes of a resource quantity: `1048576`, `64Mi`, `1.5Gi`, `100M`. */
export function parseBytes(text: string): number {
  const form = /^(\d+(?:\.\d+)?)([kMGT]|[KMGT]i)?$/.exec(text);
  const size = form ? Number(form[1]) * (UNIT_BYTES[form[2] ?? ''] ?? Number.NaN) : Number.NaN;
  return Number.isSafeInteger(size) ? size : refuse(text, 'a whole number of bytes (such as 1048576, 64Mi or 100M)');
}

/** Formats bytes with the largest binary suffix that divides them. */
export function formatBytes(bytes: number): string {
  for (const suffix of ['Ti', 'Gi', 'Mi', 'Ki'] as const) {
    const unit = UNIT_BYTES[suffix] ?? 1;
    if (bytes >= unit && bytes % unit === 0) return `${bytes / unit}${suffix}`;
  }
  return String(bytes);
}
