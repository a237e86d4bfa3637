import { stringifyJson } from '@orch/codec';
import { indentJson, type ListMeta, type ListParts, PieceWriter, type Stored } from '@orch/resources';
import { LongSteps, turnFor } from '@orch/runtime/work';
import type { RequestContext } from './context.js';

/** Interactive clients (terminals and browsers) get indented JSON by default. */
const HUMAN_AGENTS = /^(?:curl|Wget|Mozilla)\//;

const INDENT = 2;
/**
 * Bytes of indentation above which an object is left on one line: the indentation grows with the number of values times
 * the depth.
 */
const MAX_INDENTATION = 8 << 20;

/** Whether `pretty`, or the user agent, requests indented JSON. */
export function wantsPretty(ctx: RequestContext): boolean {
  const asked = ctx.query.get('pretty');
  if (asked !== null) return asked !== 'false' && asked !== '0';
  const agent = ctx.req.headers['user-agent'];
  return agent !== undefined && HUMAN_AGENTS.test(agent);
}

/**
 * Indents JSON for clients that want it, a large text in steps between which other requests run; other encodings and
 * other clients get the bytes as they are.
 */
export async function prettyIfRequested(ctx: RequestContext, contentType: string, body: Buffer): Promise<Buffer> {
  if (contentType !== 'application/json' || !wantsPretty(ctx)) return body;
  await turnFor(body.length);
  return Buffer.concat([(await indentJson(body, MAX_INDENTATION)) ?? body, NEW_LINE]);
}

const NEW_LINE = Buffer.from('\n');

async function indented(json: Buffer): Promise<string> {
  return ((await indentJson(json, MAX_INDENTATION)) ?? json).toString();
}

/** Encodes a collection in indented JSON, item by item. */
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
  const steps = new LongSteps();
  for await (const page of pages) {
    for (const stored of page) {
      const json = await steps.take(() => item(stored));
      // Texts within JSON have no line breaks.
      write(`${separator}\n    ${(await indented(json)).replaceAll('\n', '\n    ')}`);
      separator = ',';
      for (let piece = out.shift(); piece; piece = out.shift()) yield piece;
    }
  }
  write(separator === '' ? ']\n}\n' : '\n  ]\n}\n');
  yield* out.end();
}
