import { parseStoredJson, stringifyJson } from '@orch/codec';
import type { RequestContext } from '../http/context.js';

/** Clients that are people at a terminal or a browser get indented JSON without asking. */
const HUMAN_AGENTS = /^(?:curl|Wget|Mozilla)\//;

const INDENT = 2;

/** Whether `pretty`, or who asks, calls for indented JSON. */
export function wantsPretty(ctx: RequestContext): boolean {
  const asked = ctx.query.get('pretty');
  if (asked !== null) return asked !== 'false' && asked !== '0';
  const agent = ctx.req.headers['user-agent'];
  return agent !== undefined && HUMAN_AGENTS.test(agent);
}

/** Indents JSON for those who want it; other encodings and other clients get the bytes as they are. */
export function prettyIfAsked(ctx: RequestContext, contentType: string, body: Buffer): Buffer {
  if (contentType !== 'application/json' || !wantsPretty(ctx)) return body;
  return Buffer.from(`${stringifyJson(parseStoredJson(body), INDENT)}\n`);
}
