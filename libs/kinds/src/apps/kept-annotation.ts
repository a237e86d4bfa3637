import type { ApiObject } from '@orch/machinery';
import type { VersionConversion } from '../conversions/version-conversion.js';
import { edited, without } from '../values/edited.js';
import { type Json, mapAt } from '../values/fields.js';

/** A number of the spec that `apps/v1` has no field for. */
interface KeptNumber {
  /** The annotation of the hub that keeps it, in decimal. */
  readonly annotation: string;
  /** Member of the spec that holds it in the old version. */
  readonly field: string;
  /** The number in a spec; undefined where it is not set. */
  read(spec: Json): unknown;
  /** Returns the members of a spec that hold the number. */
  write(number: number | bigint): Json;
}

/** Int64 as it is printed. */
const INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;

/** The number moves between field and annotation. An annotation that is no such number stays one. */
export const keptAsAnnotation = (kept: KeptNumber): Required<Pick<VersionConversion, 'toHub' | 'fromHub'>> => ({
  toHub(object) {
    const number = kept.read((object.spec ?? {}) as Json);
    if (typeof number !== 'number' && typeof number !== 'bigint') return object;
    const bare = edited(object, 'spec', (spec) => without(spec, kept.field));
    const annotations = { ...object.metadata?.annotations, [kept.annotation]: String(number) };
    return { ...bare, metadata: { ...object.metadata, annotations } };
  },
  fromHub(object) {
    const { [kept.annotation]: text, ...annotations } = mapAt(object, 'metadata', 'annotations');
    if (text === undefined || !INTEGER.test(text)) return object;
    return withAnnotations(
      edited(object, 'spec', (spec) => ({ ...spec, ...kept.write(integer(text)) })),
      annotations,
    );
  },
});

function integer(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** With no annotations at all where none are left. */
function withAnnotations(object: ApiObject, annotations: Readonly<Record<string, string>>): ApiObject {
  const { annotations: _before, ...metadata } = object.metadata ?? {};
  if (Object.keys(annotations).length === 0) return { ...object, metadata };
  return { ...object, metadata: { ...metadata, annotations } };
}
