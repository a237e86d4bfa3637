import { type Clock, systemClock } from '../clock.js';
import { describeError, isSecretKey, redactText, redactValue } from './redact.js';

/** Fields of a line; values with secret names are not written (see redact.ts). */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes log lines at one verbosity. */
export interface LogWriter {
  /** Undefined `fields` are left out. */
  info(message: string, fields?: LogFields): void;
}

/** Structured logs. Messages are fixed phrases; variable parts are fields. */
export interface Logger extends LogWriter {
  /** Logs a problem that the process survives; written at every verbosity. */
  warn(message: string, fields?: LogFields): void;
  /** `error` may be any thrown value; stacks are written from verbosity 4 on. */
  error(message: string, error: unknown, fields?: LogFields): void;
  /**
   * Returns the writer of a verbosity level, or undefined when that level is off, so that nothing is evaluated:
   * `logger.v(4)?.info('watch opened', { requestID, resource })`.
   */
  v(level: number): LogWriter | undefined;
  /** Returns a logger that adds these fields to every line, such as `{ requestID }`. */
  with(fields: LogFields): Logger;
}

/**
 * `text`: `I0411 09:30:00.125 "message" key="value"`, UTC. `json`: one object per line, `ts` in milliseconds since the
 * epoch.
 */
export type LogFormat = 'text' | 'json';

/** Definitions of the logging options; their values go to {@link createLogger}. */
export const loggingOptions = {
  'logging-format': { type: 'string', choices: ['text', 'json'], default: 'text', help: 'Format of log lines.' },
  v: { type: 'int', short: 'v', default: 0, min: 0, max: 10, help: 'Verbosity of logs. Higher values log more.' },
} as const;

/** Settings of a logger; see {@link loggingOptions}. */
export interface LoggerSettings {
  /** Value of `--logging-format`. */
  readonly format: LogFormat;
  /** Highest verbosity to write, 0 to 10. */
  readonly verbosity: number;
  /** Clock of the lines' times. Default: the machine's. */
  readonly clock?: Clock;
  /** Writes whole lines, with their line end. Default: standard error. */
  readonly write?: (line: string) => void;
  /** Called for each error that is logged, with its message alone. */
  readonly onError?: (message: string) => void;
}

type Severity = 'info' | 'warning' | 'error';

/** A name and the JSON of its value. */
type Field = readonly [string, string];

interface Line {
  readonly at: number;
  readonly severity: Severity;
  readonly verbosity: number;
  readonly message: string;
  readonly fields: readonly Field[];
}

/** Creates a logger that writes every line at once, with `[redacted]` in place of secrets (see redact.ts). */
export function createLogger(settings: LoggerSettings): Logger {
  const { format, verbosity, clock = systemClock, write = (line) => process.stderr.write(line), onError } = settings;
  const render = format === 'json' ? asJson : asText;
  return new StructuredLogger(verbosity, [], (line) => {
    write(render({ ...line, at: clock.wall() }));
    if (line.severity === 'error') onError?.(line.message);
  });
}

/** A logger that writes nothing. */
export const silentLogger: Logger = {
  info() {},
  warn() {},
  error() {},
  v: () => undefined,
  with: () => silentLogger,
};

class StructuredLogger implements Logger {
  constructor(
    readonly verbosity: number,
    readonly fields: readonly Field[],
    readonly emit: (line: Omit<Line, 'at'>) => void,
  ) {}

  info(message: string, fields?: LogFields): void {
    this.#line('info', 0, message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#line('warning', 0, message, fields);
  }

  error(message: string, error: unknown, fields?: LogFields): void {
    const err = error instanceof Error ? describeError(error) : String(error);
    const stack = this.verbosity >= 4 && error instanceof Error ? { stack: error.stack } : undefined;
    this.#line('error', 0, message, { ...fields, err, ...stack });
  }

  v(level: number): LogWriter | undefined {
    if (level > this.verbosity) return undefined;
    return { info: (message, fields) => this.#line('info', level, message, fields) };
  }

  with(fields: LogFields): Logger {
    return new StructuredLogger(this.verbosity, [...this.fields, ...clean(fields)], this.emit);
  }

  #line(severity: Severity, verbosity: number, message: string, fields: LogFields | undefined): void {
    const all = fields ? [...this.fields, ...clean(fields)] : this.fields;
    this.emit({ severity, verbosity, message: redactText(message), fields: all });
  }
}

/** Returns the fields in the order given, each value as JSON. */
const clean = (fields: LogFields): Field[] => {
  const cleaned: Field[] = [];
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    if (value !== undefined) cleaned.push([key, printed(key, value)]);
  }
  return cleaned;
};

function printed(key: string, value: unknown): string {
  if (typeof value === 'number' && !isSecretKey(key)) return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value === 'string' && !isSecretKey(key)) return JSON.stringify(redactText(value));
  return stringify(redactValue(key, value));
}

/** A line as a JSON object; `ts` is milliseconds since the epoch. */
function asJson({ at, severity, verbosity, message, fields }: Line): string {
  let line = '{';
  for (const [key, value] of fields) if (!OWN.has(key)) line += `${JSON.stringify(key)}:${value},`;
  const level = severity === 'info' ? `"info","v":${verbosity}` : `"${severity}"`;
  return `${line}"ts":${at},"level":${level},"msg":${JSON.stringify(message)}}\n`;
}
/** Members of a JSON line that no field may override. */
const OWN: ReadonlySet<string> = new Set(['ts', 'level', 'v', 'msg']);

/** `I0411 09:30:00.125 "message" key="value"`: severity, month and day, UTC time. */
function asText({ at, severity, message, fields }: Line): string {
  const iso = new Date(at).toISOString();
  const day = `${iso.slice(5, 7)}${iso.slice(8, 10)}`;
  let line = `${LETTER[severity]}${day} ${iso.slice(11, 23)} ${JSON.stringify(message)}`;
  for (const [key, value] of fields) line += ` ${key}=${value}`;
  return `${line}\n`;
}
const LETTER: Readonly<Record<Severity, string>> = { info: 'I', warning: 'W', error: 'E' };

/**
 * Encodes JSON without ever failing: a value that cannot be encoded (a cycle, a throwing getter) must not fail the
 * request.
 */
function stringify(value: unknown): string {
  try {
    return JSON.stringify(value, redactValue) ?? 'null';
  } catch {
    return '"[unprintable]"';
  }
}
