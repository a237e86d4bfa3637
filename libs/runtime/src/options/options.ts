import { parseArgs } from 'node:util';
import type { OptionDefinition, OptionDefinitions, OptionValues } from './definition.js';
import { helpText } from './help.js';
import { type AnyValue, defaultValue, readValue } from './read-value.js';
import { ValueError } from './values.js';

/** A command line that cannot be used; `problems` holds everything wrong with it, a line each. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

export interface Parsed<D extends OptionDefinitions> {
  readonly values: OptionValues<D>;
  /** To be logged: deprecated options that were used. */
  readonly warnings: readonly string[];
  readonly help: boolean;
}

/** The options of one program, declared as data. */
export interface Options<D extends OptionDefinitions> {
  readonly definitions: D;
  /** Reads arguments (without the program's name). Throws {@link OptionsError}; reads no environment, no file. */
  parse(argv: readonly string[]): Parsed<D>;
  /** The text of `--help`. */
  help(usage: string): string;
}

/**
 * Declares options. Groups of definitions are plain objects and are joined by spreading.
 *
 *     const options = defineOptions({ 'secure-port': { type: 'int', default: 6443, min: 0, max: 65535, help: '…' } });
 *     options.parse(['--secure-port=8443']).values.securePort // number
 */
export function defineOptions<const D extends OptionDefinitions>(definitions: D): Options<D> {
  return {
    definitions,
    parse: (argv) => parse(definitions, argv),
    help: (usage) => helpText(usage, definitions),
  };
}

function parse<D extends OptionDefinitions>(definitions: D, argv: readonly string[]): Parsed<D> {
  const problems: string[] = [];
  const warnings: string[] = [];
  const given = new Map<string, AnyValue>();
  const stray: string[] = [];
  let help = false;
  for (const token of tokens(definitions, argv)) {
    if (token.kind === 'positional') stray.push(token.value);
    if (token.kind !== 'option') continue;
    if (token.name === 'help') {
      help = true;
      continue;
    }
    const definition = Object.hasOwn(definitions, token.name) ? definitions[token.name] : undefined;
    if (!definition) {
      problems.push(`unknown flag: ${token.rawName}`);
      continue;
    }
    if (definition.deprecated) warnings.push(`Flag --${token.name} has been deprecated, ${definition.deprecated}`);
    try {
      const text = argument(definition, token.rawName, token.value);
      given.set(token.name, readValue(definition, text, given.get(token.name)));
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      problems.push(`--${token.name}: ${error.message}`);
    }
  }
  // What follows an unknown flag may have been meant as its value: one complaint is enough then.
  if (problems.length === 0) problems.push(...stray.map((text) => `unexpected argument: ${JSON.stringify(text)}`));
  if (!help) problems.push(...missing(definitions, given));
  if (problems.length > 0 && !help) throw new OptionsError(problems);
  return { values: collect(definitions, given), warnings, help };
}

/** `node:util` splits the arguments; what they mean is decided above. */
function tokens(definitions: OptionDefinitions, argv: readonly string[]) {
  const shapes: Record<string, { type: 'string' | 'boolean'; short?: string }> = {
    help: { type: 'boolean', short: 'h' },
  };
  for (const [name, { type, short }] of Object.entries(definitions)) {
    shapes[name] = { type: type === 'bool' ? 'boolean' : 'string', ...(short && { short }) };
  }
  return parseArgs({ args: [...argv], options: shapes, strict: false, tokens: true, allowPositionals: true }).tokens;
}

function argument(definition: OptionDefinition, rawName: string, value: string | undefined): string {
  if (value === undefined) {
    if (definition.type === 'bool') return 'true';
    throw new ValueError('the flag needs an argument');
  }
  // `-v=4` arrives as the value `=4`.
  return rawName.startsWith('--') || !value.startsWith('=') ? value : value.slice(1);
}

const missing = (definitions: OptionDefinitions, given: ReadonlyMap<string, AnyValue>): string[] =>
  Object.entries(definitions)
    .filter(([name, definition]) => 'required' in definition && definition.required && !given.has(name))
    .map(([name]) => `--${name} is required`);

function collect<D extends OptionDefinitions>(definitions: D, given: ReadonlyMap<string, AnyValue>): OptionValues<D> {
  const values: Record<string, AnyValue> = {};
  for (const [name, definition] of Object.entries(definitions)) {
    const key = name.replace(/-([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
    values[key] = given.has(name) ? given.get(name) : defaultValue(definition);
  }
  return values as OptionValues<D>;
}
