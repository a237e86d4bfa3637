import { namesOf } from '@orch/machinery';
import { formatDuration, type OptionDefinition } from '@orch/runtime';
import { agentDefinitions, type NodeAgentOptions } from './agent-options.js';
import { parseTaint } from './checks.js';
import { CONFIGURATION_FIELDS, type FieldForm } from './configuration-fields.js';
import { parseReservedMemory } from './pinning-checks.js';

/** Value of a field, as JSON has it. */
type Written = string | number | boolean | readonly unknown[] | { [name: string]: Written } | undefined;

/** Returns the values of options as the fields of a KubeletConfiguration, unset ones left out (`/configz`). */
export function writtenConfiguration(values: NodeAgentOptions): Readonly<Record<string, unknown>> {
  const root: Record<string, Written> = {};
  const isJson = values.kubeApiContentType === 'application/json';
  const named = { ...values, ...(!isJson && { kubeApiContentType: namesOf(values.naming).protobufMediaType }) };
  for (const [path, { option, form = 'scalar' }] of CONFIGURATION_FIELDS) {
    const value = (named as Readonly<Record<string, unknown>>)[camelCase(option)];
    const written = value === undefined ? undefined : WRITERS[form](value, agentDefinitions[option]);
    if (written !== undefined) place(root, path.split('.'), written);
  }
  return root;
}

const camelCase = (option: string): string =>
  option.replace(/-([a-z0-9])/g, (_dash, letter: string) => letter.toUpperCase());

const scalar = (value: unknown, { type }: OptionDefinition): Written =>
  type === 'duration' ? formatDuration(value as number) : type === 'bytes' ? String(value) : (value as Written);
const list = (value: unknown): Written => [...(value as readonly string[])];
const pairs = (texts: Iterable<string>, between: string): Written =>
  Object.fromEntries(
    [...texts].map((text) => {
      const at = text.indexOf(between);
      return [text.slice(0, at), text.slice(at + 1)] as const;
    }),
  );

const WRITERS: Readonly<Record<FieldForm, (value: unknown, definition: OptionDefinition) => Written>> = {
  scalar,
  path: scalar,
  list,
  map: (value) => Object.fromEntries(value as ReadonlyMap<string, string>),
  thresholds: (value) => pairs(value as readonly string[], '<'),
  taints: (value) => (value as readonly string[]).map(parseTaint),
  memory: (value) =>
    [...parseReservedMemory(value as readonly string[])].map(([numaNode, amounts]) => ({
      numaNode,
      limits: Object.fromEntries([...amounts].map(([name, bytes]) => [name, String(bytes)])),
    })),
  headers: (value) => headers(value as readonly string[]),
};

function headers(texts: readonly string[]): Written {
  const found: Record<string, string[]> = {};
  for (const text of texts) {
    const at = text.indexOf(':');
    const name = text.slice(0, at);
    found[name] = [...(found[name] ?? []), text.slice(at + 1)];
  }
  return found;
}

/** Puts a value at a path of members. */
function place(root: Record<string, Written>, [name = '', ...rest]: readonly string[], value: Written): void {
  if (rest.length === 0) {
    root[name] = value;
    return;
  }
  const below = (root[name] ?? {}) as Record<string, Written>;
  root[name] = below;
  place(below, rest, value);
}
