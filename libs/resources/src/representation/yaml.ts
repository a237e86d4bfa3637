import { parseStoredJson, stringifyYaml } from '@orch/codec';
import { LongSteps, turnFor } from '@orch/runtime/work';
import type { Stored } from '../stored/stored.js';
import { PieceWriter } from './piece-writer.js';
import type { JsonRepresentation, ListMeta, ListParts, Representation } from './representation.js';

const toYaml = (bytes: Buffer) => Buffer.from(stringifyYaml(parseStoredJson(bytes)));

async function toYamlInTurns(json: Buffer): Promise<Buffer> {
  await turnFor(json.length);
  const value = parseStoredJson(json);
  await turnFor(json.length);
  const yaml = Buffer.from(stringifyYaml(value));
  await turnFor(json.length);
  return yaml;
}

/** YAML encoding of another representation's JSON. Whole documents only: YAML has no watch stream in this API. */
export function yamlRepresentation({ parts, ...inner }: JsonRepresentation, key: string): Representation {
  return {
    ...inner,
    key,
    contentType: 'application/yaml',
    streamContentType: undefined,
    object: (stored) => toYaml(inner.object(stored)),
    objectInTurns: async (stored) => toYamlInTurns((await inner.objectInTurns?.(stored)) ?? inner.object(stored)),
    list: (meta, pages) => yamlList(parts, meta, pages),
  };
}

/**
 * Encodes a collection as one document, item by item: fields in the order of their names, the items in their place
 * among them.
 */
async function* yamlList(
  { itemsField, around, item }: ListParts,
  meta: ListMeta,
  pages: AsyncIterable<readonly Stored[]>,
): AsyncIterable<Buffer> {
  const out = new PieceWriter();
  const fields = Object.entries(around(meta)).filter(([, value]) => value !== undefined);
  const write = (text: string) => out.bytes(Buffer.from(text));
  const writeSome = (some: typeof fields) => some.length > 0 && write(stringifyYaml(Object.fromEntries(some)));
  writeSome(fields.filter(([name]) => name < itemsField));
  let separator = `${itemsField}:\n`;
  const steps = new LongSteps();
  for await (const page of pages) {
    for (const stored of page) {
      const value = await steps.take(() => parseStoredJson(item(stored)));
      await turnFor(stored.body.length);
      // Indents every line by two spaces, except empty ones, which are empty lines within a text.
      write(`${separator}  ${stringifyYaml([value]).replaceAll(/\n(?=[^\n])/g, '\n  ')}`);
      separator = '';
      for (let piece = out.shift(); piece; piece = out.shift()) yield piece;
    }
  }
  if (separator !== '') write(`${itemsField}: []\n`);
  writeSome(fields.filter(([name]) => name > itemsField));
  yield* out.end();
}
