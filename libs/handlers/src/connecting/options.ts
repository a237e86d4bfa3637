import {
  badRequest,
  type FieldError,
  forbiddenField,
  invalid,
  invalidValue,
  parseTime,
  TimeError,
} from '@orch/machinery';
import { parseInt64 } from '@orch/reading';

/** Fields of PodLogOptions that select the log. */
interface LogOptions {
  /** Name of the container; empty if not given. */
  readonly container: string;
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
  return { container: query.get('container') ?? '' };
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

/** Accepts `null` for no time, which older clients send. */
function requireTime(text: string): void {
  if (text === '' || text === 'null') return;
  try {
    parseTime(text);
  } catch (error) {
    if (!(error instanceof TimeError)) throw error;
    throw badRequest(error.message);
  }
}
