import {
  badRequest,
  type FieldError,
  forbiddenField,
  invalid,
  invalidValue,
  normalizeTime,
  parseTime,
  TimeError,
} from '@orch/machinery';
import { parseBool, parseInt64 } from '@orch/reading';

/** Fields of PodLogOptions that select the log. */
interface LogOptions {
  /** Name of the container; empty if not given. */
  readonly container: string;
  /** Whether the certificate of the agent is not to be verified. */
  readonly insecure: boolean;
  /** The other fields as the query of an agent; empty, or with the question mark. */
  readonly query: string;
}

/**
 * Parses and validates the query of `log`.
 * @throws StatusError 400 for values that cannot be parsed, 422 for invalid ones
 */
export function logOptions(query: URLSearchParams, pod: string): LogOptions {
  const tailLines = optionalInt(query, 'tailLines');
  const limitBytes = optionalInt(query, 'limitBytes');
  const sinceSeconds = optionalInt(query, 'sinceSeconds');
  const sinceTime = query.get('sinceTime');
  if (sinceTime !== null) requireTime(sinceTime);
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0n)
    errors.push(invalidValue('tailLines', tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1n)
    errors.push(invalidValue('limitBytes', limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== null) {
    errors.push(forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1n)
    errors.push(invalidValue('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  if (errors.length > 0) throw invalid('PodLogOptions', '', pod, errors);
  const since = sinceTime === null || NO_TIME.has(sinceTime) ? undefined : normalizeTime(sinceTime);
  const asked = {
    follow: flag(query, 'follow'),
    limitBytes: limitBytes?.toString(),
    previous: flag(query, 'previous'),
    sinceSeconds: sinceSeconds?.toString(),
    sinceTime: since,
    tailLines: tailLines?.toString(),
    timestamps: flag(query, 'timestamps'),
  };
  return {
    container: query.get('container') ?? '',
    insecure: parseBool(query, 'insecureSkipTLSVerifyBackend') ?? false,
    query: queryOf(asked),
  };
}

const flag = (query: URLSearchParams, name: string): string | undefined =>
  parseBool(query, name) ? 'true' : undefined;

/** Formats a query in the order of `values`; with the question mark, or empty. */
function queryOf(values: Readonly<Record<string, string | readonly string[] | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) for (const each of [value ?? []].flat()) query.append(name, each);
  return query.size === 0 ? '' : `?${query}`;
}

function optionalInt(query: URLSearchParams, name: string): bigint | undefined {
  const text = query.get(name);
  return text === null ? undefined : parseInt64(text);
}

const MOST_PORT = 65_535;

/** Validates the ports of `portforward`. @throws StatusError 400 for an invalid port */
export function requirePorts(query: URLSearchParams): void {
  for (const text of query.getAll('ports').flatMap((several) => several.split(','))) {
    const why = !/^\d+$/.test(text) ? 'invalid syntax' : Number(text) > MOST_PORT ? 'value out of range' : undefined;
    if (why) throw badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`);
  }
}

/** Texts for no time, which older clients send. */
const NO_TIME: ReadonlySet<string> = new Set(['', 'null']);

function requireTime(text: string): void {
  if (NO_TIME.has(text)) return;
  try {
    parseTime(text);
  } catch (error) {
    if (!(error instanceof TimeError)) throw error;
    throw badRequest(error.message);
  }
}
