import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '@orch/runtime';
import type { Container, HTTPGetAction } from '@orch/schema/types/core/v1';
import { dialFailure, hostAndPort, type ProbeLimits, type ProbeOutcome, resolvePort } from './probe-outcome.js';

/** Limit of a body that is read, bytes. */
const MAX_BODY = 10 * 1024;
const MAX_REDIRECTS = 10;

/** A request of the agent to a container. */
interface HttpAction {
  /** Place of the request. */
  readonly url: URL;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/**
 * Returns the request of an `httpGet`, to the pod's address unless it names a host.
 * @param agentName program in `User-Agent`, as `kube-probe`
 * @throws Error for a port that does not exist
 */
export function httpAction(
  action: HTTPGetAction,
  container: Container,
  podIP: string,
  agentName: 'kube-probe' | 'kube-lifecycle',
): HttpAction {
  const port = resolvePort(action.port, container);
  const scheme = (action.scheme ?? 'HTTP').toLowerCase();
  const base = `${scheme}://${hostAndPort(action.host || podIP, port)}`;
  const { path = '' } = action;
  const url = new URL(path.startsWith('/') || path === '' ? `${base}${path}` : `${base}/${path}`);
  return { url, headers: headersOf(action, agentName) };
}

function headersOf(action: HTTPGetAction, agentName: string): HttpAction['headers'] {
  const headers: Record<string, string[]> = Object.create(null);
  for (const { name = '', value = '' } of action.httpHeaders ?? []) {
    headers[name.toLowerCase()] ??= [];
    headers[name.toLowerCase()]?.push(value);
  }
  headers['user-agent'] ??= [`${agentName}/1.27`];
  headers.accept ??= ['*/*'];
  if (headers.accept[0] === '') delete headers.accept;
  // A single value is no list: some names may not have one.
  return Object.fromEntries(
    Object.entries(headers).map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]),
  );
}

/**
 * Sends a GET. Redirects on the same host are followed; certificates are not verified; nothing is kept open.
 * @returns success for any status from 200 to 399
 */
export async function probeHttp(action: HttpAction, { timeoutMs }: ProbeLimits, clock: Clock): Promise<ProbeOutcome> {
  const overdue = new AbortController();
  const cancel = clock.after(timeoutMs, () => overdue.abort());
  try {
    return await follow(action, overdue.signal);
  } catch (error) {
    const why = overdue.signal.aborted
      ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
      : dialFailure(error, action.url.host);
    return { result: 'failure', output: `Get "${action.url.href}": ${why}` };
  } finally {
    cancel();
  }
}

async function follow({ url, headers }: HttpAction, signal: AbortSignal): Promise<ProbeOutcome> {
  let place = url;
  for (let redirects = 0; ; redirects++) {
    const { status, location, body } = await get({ url: place, headers }, signal);
    if (status < 200 || status >= 400)
      return { result: 'failure', output: `HTTP probe failed with statuscode: ${status}` };
    if (status < 300) return { result: 'success', output: body };
    const next = location === undefined ? undefined : new URL(location, place);
    if (!next || next.hostname !== url.hostname)
      return { result: 'warning', output: `Probe terminated redirects, Response body: ${body}` };
    if (redirects >= MAX_REDIRECTS) throw new Error('stopped after 10 redirects');
    place = next;
  }
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
}

function get({ url, headers }: HttpAction, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, { headers: { ...headers }, agent: false, rejectUnauthorized: false, signal } as object);
    request.on('error', reject);
    request.on('response', (response) => readBody(response).then(resolve, reject));
    request.end();
  });
}

async function readBody(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_BODY) break;
  }
  response.destroy();
  const body = Buffer.concat(chunks).subarray(0, MAX_BODY).toString();
  return { status: response.statusCode ?? 0, location: response.headers.location, body };
}
