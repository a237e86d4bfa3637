import type { OptionDefinition, OptionDefinitions } from './definition.js';
import { formatBytes, formatDuration } from './values.js';

const WIDTH = 100;
const INDENT = ' '.repeat(6);
const HEAD = [
  'Every option --some-option may also be given as the environment variable ORCH_SOME_OPTION, secrets above all;',
  'what stands on the command line wins.',
];

/** Returns the help of every option: value type, description, bounds and default, in alphabetical order. */
export function helpText(usage: string, definitions: OptionDefinitions): string {
  const lines = [`Usage: ${usage}`, '', ...HEAD, '', 'Options:'];
  const all: [string, OptionDefinition][] = [
    ...Object.entries(definitions),
    ['help', { type: 'bool', short: 'h', help: 'Print this text and exit.' }],
  ];
  for (const [name, definition] of all.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const short = definition.short ? `-${definition.short}, ` : '';
    lines.push(`  ${short}--${name}${formOf(definition)}`);
    lines.push(...wrap(describe(definition)));
  }
  return `${lines.join('\n')}\n`;
}

const VALUE_FORM: Readonly<Record<OptionDefinition['type'], string>> = {
  string: ' string',
  int: ' int',
  float: ' float',
  duration: ' duration',
  bytes: ' size',
  bool: '',
  list: ' value,…',
  map: ' key=value,…',
};

const formOf = (definition: OptionDefinition): string =>
  definition.type === 'list' && definition.whole ? ' value' : VALUE_FORM[definition.type];

function describe(definition: OptionDefinition): string {
  const { meaning, defaultText } = optionText(definition);
  const notes = [...meaning.notes, ...(defaultText === undefined ? [] : [`default ${defaultText}`])];
  return `${meaning.text}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`;
}

/**
 * Help text of an option: a sentence, the limits of its value, and the default as it is typed; undefined if there is
 * none.
 */
export function optionText(definition: OptionDefinition): {
  readonly meaning: { readonly text: string; readonly notes: readonly string[] };
  readonly defaultText: string | undefined;
} {
  const deprecated = definition.deprecated ? `DEPRECATED: ${definition.deprecated}. ` : '';
  const given = 'default' in definition ? definition.default : undefined;
  return {
    meaning: { text: `${deprecated}${definition.help}`, notes: boundsOf(definition) },
    defaultText: given === undefined ? undefined : print(definition, given),
  };
}

function boundsOf(definition: OptionDefinition): string[] {
  const notes: string[] = [];
  if (definition.type === 'int' && definition.unit) notes.push(`in ${definition.unit}`);
  if ((definition.type === 'string' || definition.type === 'list') && definition.choices)
    notes.push(`one of ${definition.choices.join(', ')}`);
  if ('min' in definition && definition.min !== undefined) notes.push(`at least ${print(definition, definition.min)}`);
  if ('max' in definition && definition.max !== undefined) notes.push(`at most ${print(definition, definition.max)}`);
  if ('required' in definition && definition.required) notes.push('required');
  return notes;
}

function print(definition: OptionDefinition, value: string | number | boolean | readonly string[]): string {
  if (typeof value === 'number' && definition.type === 'duration') return formatDuration(value);
  if (typeof value === 'number' && definition.type === 'bytes') return formatBytes(value);
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = INDENT;
  for (const word of text.split(' ')) {
    if (line.length + word.length >= WIDTH && line !== INDENT) {
      lines.push(line.trimEnd());
      line = INDENT;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
