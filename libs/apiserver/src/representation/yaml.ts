import { parseStoredJson, stringifyYaml } from '@orch/codec';
import type { Representation } from './representation.js';

/** YAML of what another representation says in JSON. Whole documents only: YAML has no watch stream in this API. */
export function yamlRepresentation(inner: Representation, key: string): Representation {
  const toYaml = (bytes: Buffer) => Buffer.from(stringifyYaml(parseStoredJson(bytes)));
  return {
    ...inner,
    key,
    contentType: 'application/yaml',
    streamContentType: undefined,
    object: (stored) => toYaml(inner.object(stored)),
    async *list(meta, pages) {
      const pieces: Buffer[] = [];
      for await (const piece of inner.list(meta, pages)) pieces.push(piece);
      yield toYaml(Buffer.concat(pieces));
    },
  };
}
