import { parseStoredJson, stringifyJson } from '@orch/codec';
import { Slices } from '../decoding/turns.js';
import type { RequestContext } from '../http/context.js';
import type { Stored } from '../served/endpoint.js';
import { PieceWriter } from './piece-writer.js';
import type { ListMeta, ListParts } from './representation.js';

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

/** A collection in indented JSON, an item at a time. */
export async function* prettyList(
  { itemsField, around, item }: ListParts,
  meta: ListMeta,
  pages: AsyncIterable<readonly Stored[]>,
): AsyncIterable<Buffer> {
  const out = new PieceWriter();
  const write = (text: string) => out.bytes(Buffer.from(text));
  const empty = stringifyJson({ ...around(meta), [itemsField]: [] }, INDENT);
  write(empty.slice(0, -']\n}'.length));
  let separator = '';
  const slices = new Slices();
  for await (const page of pages) {
    for (const stored of page) {
      // No text within JSON has a line of its own.
      write(`${separator}\n    ${stringifyJson(item(stored), INDENT).replaceAll('\n', '\n    ')}`);
      separator = ',';
      for (let piece = out.shift(); piece; piece = out.shift()) yield piece;
      await slices.between();
    }
  }
  write(separator === '' ? ']\n}\n' : '\n  ]\n}\n');
  yield* out.end();
}
