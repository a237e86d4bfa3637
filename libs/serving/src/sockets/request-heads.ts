import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { waitsToSend } from '../http/expected-continue.js';

/**
 * A refusal of the connection itself, before any API is addressed. Most of these have no status reason of their own.
 */
export interface HeadRefusal {
  readonly code: number;
  readonly line: string;
  readonly message: string;
  readonly reason: string;
}

/** Body of such a response. */
export const refusalBody = ({ code, message, reason }: HeadRefusal): string =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code });

/** Refusal of a request that is not well-formed. */
export const MALFORMED: HeadRefusal = {
  code: 400,
  line: 'Bad Request',
  message: 'the request is not well-formed HTTP',
  reason: 'BadRequest',
};
const UNKNOWN_EXPECTATION: HeadRefusal = {
  code: 417,
  line: 'Expectation Failed',
  message: 'nothing but 100-continue can be expected',
  reason: '',
};
const UNKNOWN_CODING: HeadRefusal = {
  code: 501,
  line: 'Not Implemented',
  message: 'bodies are read in no transfer coding but chunked',
  reason: '',
};
const UNKNOWN_VERSION: HeadRefusal = {
  code: 505,
  line: 'HTTP Version Not Supported',
  message: 'this connection is one of HTTP/1.1',
  reason: '',
};

/**
 * Checks the head of an HTTP/1.1 request for faults that Node's parser accepts: unsupported or missing versions,
 * ambiguous body lengths, and expectations that cannot be met.
 * @returns undefined for a valid head
 */
export function refusedHead(req: IncomingMessage): HeadRefusal | undefined {
  const { httpVersionMajor: major, httpVersionMinor: minor, headers } = req;
  if (major !== 1) return major === 0 ? MALFORMED : UNKNOWN_VERSION;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    if (minor === 0) return MALFORMED;
    if (coding.toLowerCase() !== 'chunked') return UNKNOWN_CODING;
  }
  if (headers.expect !== undefined && !waitsToSend(req)) return UNKNOWN_EXPECTATION;
  return undefined;
}

/**
 * Handles requests with an expectation like all others: the body is requested when it is read, whereas Node would
 * request it before any handler runs.
 */
export function meetExpectations(server: Server): void {
  const asOthers = (req: IncomingMessage, res: ServerResponse) => server.emit('request', req, res);
  server.on('checkContinue', asOthers).on('checkExpectation', asOthers);
}
