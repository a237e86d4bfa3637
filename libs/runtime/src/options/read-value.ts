import type { ListOption, OptionDefinition } from './definition.js';
import {
  formatBytes,
  formatDuration,
  parseBool,
  parseBytes,
  parseDuration,
  parseFloating,
  parseInteger,
  ValueError,
} from './values.js';

/** Value of an option of any type; undefined if it is not set and has no default. */
export type AnyValue = string | number | boolean | readonly string[] | ReadonlyMap<string, string> | undefined;

/** Returns an option's value when it is not set. */
export function defaultValue(definition: OptionDefinition): AnyValue {
  switch (definition.type) {
    case 'bool':
      return definition.default ?? false;
    case 'list':
      return definition.default ?? [];
    case 'map':
      return new Map();
    default:
      return definition.default;
  }
}

/** Reads one use of an option; `earlier` is the result of previous uses. Throws {@link ValueError}. */
export function readValue(definition: OptionDefinition, text: string, earlier: AnyValue): AnyValue {
  switch (definition.type) {
    case 'string':
      return oneOf(definition.choices, text);
    case 'bool':
      return parseBool(text);
    case 'int':
      return within(definition, parseInteger(text), String);
    case 'float':
      return within(definition, parseFloating(text), String);
    case 'duration':
      return within(definition, parseDuration(text), formatDuration);
    case 'bytes':
      return within(definition, parseBytes(text), formatBytes);
    case 'list':
      return [
        ...(Array.isArray(earlier) ? (earlier as string[]) : []),
        ...entriesOf(definition, text).map((entry) => oneOf(definition.choices, entry)),
      ];
    case 'map':
      return new Map([...(earlier instanceof Map ? (earlier as Map<string, string>) : []), ...entries(text).map(pair)]);
  }
}

function oneOf(choices: readonly string[] | undefined, text: string): string {
  if (choices && !choices.includes(text)) {
    throw new ValueError(`${JSON.stringify(text)} is not one of ${choices.join(', ')}`);
  }
  return text;
}

function within(bounds: { min?: number; max?: number }, value: number, print: (value: number) => string): number {
  if (bounds.min !== undefined && value < bounds.min) {
    throw new ValueError(`${print(value)} is less than the least allowed, ${print(bounds.min)}`);
  }
  if (bounds.max !== undefined && value > bounds.max) {
    throw new ValueError(`${print(value)} is more than the most allowed, ${print(bounds.max)}`);
  }
  return value;
}

function entriesOf({ whole, keepsBlanks }: ListOption, text: string): string[] {
  if (whole) return [text];
  return keepsBlanks && text !== '' ? trimmed(text) : entries(text);
}

const trimmed = (text: string): string[] => text.split(',').map((entry) => entry.trim());
const entries = (text: string): string[] => trimmed(text).filter((entry) => entry !== '');

function pair(entry: string): [string, string] {
  const at = entry.indexOf('=');
  if (at <= 0) throw new ValueError(`${JSON.stringify(entry)} is not of the form key=value`);
  return [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
}
