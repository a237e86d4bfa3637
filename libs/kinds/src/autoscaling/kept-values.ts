import { ObjectReadError, parseJson, readObject } from '@orch/codec';
import { type JsonValue, QuantityError, TimeError } from '@orch/machinery';
import type { StructSchema } from '@orch/schema';
import { equal } from '../values/equal.js';
import { isObject, type Json } from '../values/fields.js';
import { CURRENT, type FlatForm, flattened, nested, TARGETS } from './flat-metrics.js';

const METRICS: Readonly<Record<string, FlatForm>> = { metrics: TARGETS, 'current-metrics': CURRENT };

/**
 * A value of v2 as its annotation holds it in versions that have no field for it: metrics in their flat form, where that says
 * all, and the members of a behavior with a capital, as the reference writes them.
 */
export function writtenKept(annotation: string, value: unknown): string {
  const form = METRICS[annotation];
  if (form && Array.isArray(value)) return JSON.stringify(value.map((entry) => flatIfExact(entry, form)));
  return JSON.stringify(annotation === 'behavior' ? writtenBehavior(value) : value);
}

/** Members in the order of the reference; null are those that are not set. */
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

/** What an annotation holds, as v2 writes it; undefined for a text that is no JSON. Whether it has the right shape, {@link keptMember} looks. */
export function readKept(annotation: string, text: string | undefined): unknown {
  const value = parsed(text);
  const form = METRICS[annotation];
  if (form && Array.isArray(value)) return value.map((entry) => (isObject(entry) ? nested(entry, form) : entry));
  return recased(value, (letter) => (annotation === 'behavior' ? letter.toLowerCase() : letter));
}

/** The place in v2 of what an annotation holds. */
interface KeptPlace {
  readonly section: 'spec' | 'status';
  readonly field: string;
}

/**
 * The member of v2 that an annotation stands for, as if it had come in a body of v2; undefined for a text that does not say
 * it, and `value` undefined for one that says there is none. What no reader of v2 would take must not get into the object:
 * it would keep clients from every list that holds the object.
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

/** With the first letters of names changed, without what is null. */
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
