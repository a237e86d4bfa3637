import {
  type ApiObject,
  badRequest,
  type FieldError,
  forbiddenField,
  invalid,
  invalidValue,
  type JsonObject,
  normalizeTime,
  parseTime,
  TimeError,
} from '@orch/machinery';
import { parseBool, parseInt64 } from '@orch/reading';
import type { PodExecOptions, PodPortForwardOptions } from '@orch/schema/types/core/v1';
import type { RequestContext } from '@orch/serving';

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
  const requested = {
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
    query: queryOf(requested),
  };
}

const flag = (query: URLSearchParams, name: string): string | undefined =>
  parseBool(query, name) ? 'true' : undefined;

/** Formats a query, sorted by names; with the question mark, or empty. */
function queryOf(values: Readonly<Record<string, string | readonly string[] | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) for (const each of [value ?? []].flat()) query.append(name, each);
  query.sort();
  return query.size === 0 ? '' : `?${query}`;
}

function optionalInt(query: URLSearchParams, name: string): bigint | undefined {
  const text = query.get(name);
  return text === null ? undefined : parseInt64(text);
}

const MOST_PORT = 65_535;

/** Parses the ports of `portforward`. @throws StatusError 400 for an invalid port */
function portsOf(query: URLSearchParams): number[] {
  return query
    .getAll('ports')
    .flatMap((several) => several.split(','))
    .map((text) => {
      const why = !/^\d+$/.test(text) ? 'invalid syntax' : Number(text) > MOST_PORT ? 'value out of range' : undefined;
      if (why)
        throw badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`);
      return Number(text);
    });
}

/** Reads the options of a connection from its query; the kind is that of the subresource. @throws StatusError 400 */
const CONNECTION_OPTIONS: Readonly<Record<string, (ctx: Pick<RequestContext, 'query' | 'info'>) => JsonObject>> = {
  PodExecOptions: ({ query }) => ({ ...streamOptions(query), command: query.getAll('command') }),
  PodAttachOptions: ({ query }) => streamOptions(query),
  PodPortForwardOptions: ({ query }) => ({ ports: portsOf(query) }),
  PodProxyOptions: ({ info }) => pathOption(info.rest),
  NodeProxyOptions: ({ info }) => pathOption(info.rest),
  ServiceProxyOptions: ({ info }) => pathOption(info.rest),
};

/** Options of a connection, as an object of the kind of its subresource. @throws StatusError 400 */
export const connectionOptions = (kind: string, ctx: Pick<RequestContext, 'query' | 'info'>): ApiObject => ({
  kind,
  apiVersion: 'v1',
  ...CONNECTION_OPTIONS[kind]?.(ctx),
});

const pathOption = (path: string): JsonObject => (path === '' ? {} : { path });

const STREAMS = ['stdin', 'stdout', 'stderr', 'tty'];

function streamOptions(query: URLSearchParams): JsonObject {
  const container = query.get('container');
  const on = STREAMS.filter((name) => parseBool(query, name));
  return { ...Object.fromEntries(on.map((name) => [name, true])), ...(container && { container }) };
}

/** Names of the streams in the query of an agent. */
const AGENT_NAMES: Readonly<Record<string, string>> = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' };

/** Formats the options of a connection as the query of an agent; empty, or with the question mark. */
export function agentQuery(options: PodExecOptions & PodPortForwardOptions): string {
  const { command, ports = [] } = options;
  const on = STREAMS.filter((name) => options[name as keyof PodExecOptions] === true);
  return queryOf({
    command: command ?? [],
    ...Object.fromEntries(on.map((name) => [AGENT_NAMES[name] as string, '1'])),
    ...(ports.length > 0 && { port: ports.join(',') }),
  });
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
