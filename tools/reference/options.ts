import { type OptionDefinition, type OptionDefinitions, optionText } from '@orch/runtime';
import { code, table } from './table.js';

/** Notation of an option's value by its type: `--x=text`. */
const FORMS: Readonly<Record<OptionDefinition['type'], string>> = {
  string: '=text',
  int: '=number',
  float: '=number',
  duration: '=duration',
  bytes: '=bytes',
  bool: '',
  list: '=value,…',
  map: '=key=value,…',
};

const formOf = (definition: OptionDefinition): string =>
  definition.type === 'list' && definition.whole ? '=value' : FORMS[definition.type];

interface Row {
  readonly name: string;
  readonly option: string;
  readonly defaultText: string;
  readonly meaning: string;
}

function rowOf(name: string, definition: OptionDefinition): Row {
  const { meaning, defaultText } = optionText(definition);
  const notes = meaning.notes.length > 0 ? ` (${meaning.notes.join('; ')})` : '';
  const bare = defaultText?.replace(/^"(.*)"$/, '$1') ?? '';
  const shown = bare === '' ? '' : code(bare);
  // Every feature has a row of its own.
  const text = name === 'feature-gates' ? 'Features to turn on or off, see below.' : meaning.text;
  return { name, option: code(`--${name}${formOf(definition)}`), defaultText: shown, meaning: `${text}${notes}` };
}

/** The options of several commands, each once, with the commands that have it unless all have. */
export function optionTable(commands: Readonly<Record<string, OptionDefinitions>>): string {
  const rows = new Map<string, { row: Row; of: string[] }>();
  for (const [command, definitions] of Object.entries(commands)) {
    for (const [name, definition] of Object.entries(definitions)) {
      const row = rowOf(name, definition);
      const key = JSON.stringify(row);
      const known = rows.get(key) ?? { row, of: [] };
      known.of.push(command);
      rows.set(key, known);
    }
  }
  const all = Object.keys(commands).length;
  const byName = [...rows.values()].sort((a, b) => (a.row.name < b.row.name ? -1 : 1));
  const cells = byName.map(({ row, of }) => [
    row.option,
    row.defaultText,
    of.length === all ? row.meaning : `${of.map(code).join(', ')}: ${row.meaning}`,
  ]);
  return table(['option', 'default', 'meaning'], cells);
}
