import { ObjectReadError, parseJson, readObject } from '@orch/codec';
import { type JsonValue, QuantityError, TimeError } from '@orch/machinery';
import type { StructSchema } from '@orch/schema';
import { equal } from '../values/equal.js';
import { isObject, type Json } from '../values/fields.js';
import { CURRENT, type FlatForm, flattened, nested, TARGETS } from './flat-metrics.js';

const METRICS: Readonly<Record<string, FlatForm>> = { metrics: TARGETS, 'current-metrics': CURRENT };

/**
 * Returns the content of the annotation that holds a value of v2 in versions without a field for it: metrics in their
 * flat form, if that is lossless, and members of a behavior with a capital letter, as the reference writes them.
 */
export function writtenKept(annotation: string, value: unknown): string {
  const form = METRICS[annotation];
  if (form && Array.isArray(value)) return JSON.stringify(value.map((entry) => flatIfExact(entry, form)));
  return JSON.stringify(annotation === 'behavior' ? writtenBehavior(value) : value);
}

/** Returns the members in the order of the reference; null for unset ones. */
const writtenBehavior = (behavior: unknown) =>
  isObject(behavior)
    ? { ScaleUp: writtenRules(behavior.scaleUp), ScaleDown: writtenRules(behavior.scaleDown) }
    : behavior;

function writtenRules(rules: unknown) {
  if (!isObject(rules)) return null;
  const { stabilizationWindowSeconds = null, selectPolicy = null, policies } = rules;
  const Policies = Array.isArray(policies) ? policies.map(writtenPolicy) : null;
  return { StabilizationWindowSeconds: stabilizationWindowSeconds, SelectPolicy: selectPolicy, Policies };
}

const writtenPolicy = ({ type, value, periodSeconds }: Json) => ({
  Type: type,
  Value: value,
  PeriodSeconds: periodSeconds,
});

function flatIfExact(entry: unknown, form: FlatForm): unknown {
  if (!isObject(entry)) return entry;
  const flat = flattened(entry, form);
  return equal(nested(flat, form), entry) ? flat : entry;
}

/**
 * Reads the content of an annotation in the form of v2; undefined for a text that is not JSON. {@link keptMember}
 * checks its shape.
 */
export function readKept(annotation: string, text: string | undefined): unknown {
  const value = parsed(text);
  const form = METRICS[annotation];
  if (form && Array.isArray(value)) return value.map((entry) => (isObject(entry) ? nested(entry, form) : entry));
  return recased(value, (letter) => (annotation === 'behavior' ? letter.toLowerCase() : letter));
}

/** Place in v2 of the value in an annotation. */
interface KeptPlace {
  readonly section: 'spec' | 'status';
  readonly field: string;
}

/**
 * Returns the member of v2 that an annotation stands for, read like a body of v2; undefined for invalid content, and
 * `value` undefined for content that says there is none. Content that no reader of v2 accepts must not get into the
 * object: it would prevent clients from reading every list with that object.
 * @param hub the schema of v2
 */
export function keptMember(
  hub: StructSchema,
  { section, field }: KeptPlace,
  annotation: string,
  text: string | undefined,
): { readonly value: unknown } | undefined {
  const kept = readKept(annotation, text);
  const schema = hub.fields.get(section)?.schema;
  if (kept === undefined || kept === null || schema?.kind !== 'struct') return undefined;
  try {
    const { object, problems } = readObject(schema, { [field]: kept as JsonValue });
    return problems.length > 0 ? undefined : { value: (object as Json)[field] };
  } catch (error) {
    if (error instanceof ObjectReadError || error instanceof QuantityError || error instanceof TimeError)
      return undefined;
    throw error;
  }
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return parseJson(text).value;
  } catch {
    return undefined;
  }
}

/** Changes the first letters of names, and drops null members. */
function recased(value: unknown, change: (letter: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => recased(item, change));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members.map(([name, member]): [string, unknown] => [
      `${change(name.charAt(0))}${name.slice(1)}`,
      recased(member, change),
    ]),
  ) satisfies Json;
}
