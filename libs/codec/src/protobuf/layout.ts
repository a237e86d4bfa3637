import type { Field, StructSchema } from '@orch/schema';
import { ProtobufError } from './protobuf-error.js';

/**
 * Wire layout of a message, in ascending order of numbers: the fields of a struct, and the messages that hold the
 * fields of inlined structs, which share the struct's JSON object.
 */
export interface Layout {
  readonly members: readonly (
    | { readonly number: number; readonly field: Field }
    | { readonly number: number; readonly inlined: Layout }
  )[];
}

interface Node {
  readonly fields: Map<number, Field>;
  readonly inlined: Map<number, Node>;
}

/** @throws ProtobufError for structs without a binary form. */
export function layoutOf(schema: StructSchema): Layout {
  const root: Node = { fields: new Map(), inlined: new Map() };
  for (const field of schema.fields.values()) {
    if (field.number === undefined) {
      if (isTypeField(field)) continue;
      throw new ProtobufError(`${schema.id} has no binary form`);
    }
    nodeAt(root, field.inlineNumbers ?? []).fields.set(field.number, field);
  }
  return freeze(root);
}

/** The envelope holds these. */
const isTypeField = (field: Field) => field.name === 'apiVersion' || field.name === 'kind';

function nodeAt(root: Node, path: readonly number[]): Node {
  let at = root;
  for (const number of path) {
    const next = at.inlined.get(number) ?? { fields: new Map(), inlined: new Map() };
    at.inlined.set(number, next);
    at = next;
  }
  return at;
}

function freeze(node: Node): Layout {
  const fields = [...node.fields].map(([number, field]) => ({ number, field }));
  const inlined = [...node.inlined].map(([number, inner]) => ({ number, inlined: freeze(inner) }));
  return { members: [...fields, ...inlined].sort((a, b) => a.number - b.number) };
}
