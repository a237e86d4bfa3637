import { parseArgs } from 'node:util';
import type { OptionDefinition, OptionDefinitions, OptionValues } from './definition.js';
import { type EnvironmentVariables, givenIn, unknownVariables, variableOf } from './environment.js';
import { helpText } from './help.js';
import { type AnyValue, defaultValue, readValue } from './read-value.js';
import { ValueError } from './values.js';

/** Thrown for invalid options; `problems` holds all of them, a line each. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
  /** @param problems messages for the user, each naming an option; never empty */
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** Parsed and checked arguments and environment. */
export interface ParsedOptions<D extends OptionDefinitions> {
  /** Every option's value, with defaults; with `help` even a required one may be undefined. */
  readonly values: OptionValues<D>;
  /** Warnings about deprecated options, and about variables that look like options and are none. */
  readonly warnings: readonly string[];
  /** Whether `--help` was given. */
  readonly help: boolean;
}

/** Returns problems of values that are each valid, a line each; empty when there are none. */
type ProblemsOf<D extends OptionDefinitions> = (values: OptionValues<D>) => readonly string[];

/** The options of one program, declared as data. */
export interface Options<D extends OptionDefinitions> {
  /** The declarations, for joining or documenting them. */
  readonly definitions: D;
  /**
   * Reads arguments (without the program's name), and missing ones from `env`. Throws {@link OptionsError}, also when
   * help is requested: then only required options may be missing.
   */
  parse(argv: readonly string[], env?: EnvironmentVariables): ParsedOptions<D>;
  /** The text of `--help`. */
  help(usage: string): string;
}

/**
 * Declares options. Groups of definitions are plain objects and are joined by spreading.
 *
 *     const options = defineOptions({ 'secure-port': { type: 'int', default: 6443, min: 0, max: 65535, help: '…' } });
 *     options.parse(['--secure-port=8443']).values.securePort // number
 *
 * @param problemsOf checks combinations of values; called when each is valid by itself, and no help is requested
 */
export function defineOptions<const D extends OptionDefinitions>(
  definitions: D,
  problemsOf: ProblemsOf<D> = () => [],
): Options<D> {
  return {
    definitions,
    parse(argv, env = {}) {
      const parsed = parse(definitions, argv, env);
      const problems = parsed.help ? [] : problemsOf(parsed.values);
      if (problems.length > 0) throw new OptionsError(problems);
      return parsed;
    },
    help: (usage) => helpText(usage, definitions),
  };
}

function parse<D extends OptionDefinitions>(
  definitions: D,
  argv: readonly string[],
  env: EnvironmentVariables,
): ParsedOptions<D> {
  const reading = new Reading(definitions);
  for (const token of tokens(definitions, argv)) {
    if (token.kind === 'positional') reading.stray.push(token.value);
    if (token.kind === 'option') reading.take(token.name, token.rawName, token.value);
  }
  reading.fillIn(env);
  const { problems, stray, given, help } = reading;
  for (const [name, definition] of Object.entries(definitions))
    problems.push(...checked(name, definition, given.get(name)));
  // A text behind an unknown flag may have been meant as its value: one error is enough then.
  if (problems.length === 0) problems.push(...stray.map((text) => `unexpected argument: ${JSON.stringify(text)}`));
  if (!help) problems.push(...missing(definitions, given));
  if (problems.length > 0) throw new OptionsError(problems);
  return { values: collect(definitions, given), warnings: reading.warnings, help };
}

/** State of the options while they are read. */
class Reading {
  readonly given = new Map<string, AnyValue>();
  readonly problems: string[] = [];
  readonly warnings: string[] = [];
  readonly stray: string[] = [];
  help = false;
  readonly #named = new Set<string>();

  constructor(private readonly definitions: OptionDefinitions) {}

  /** Reads a use on the command line. */
  take(name: string, rawName: string, value: string | undefined): void {
    if (name === 'help') {
      this.help = true;
      return;
    }
    const definition = Object.hasOwn(this.definitions, name) ? this.definitions[name] : undefined;
    if (!definition) {
      this.problems.push(`unknown flag: ${rawName}`);
      return;
    }
    this.#named.add(name);
    if (definition.deprecated) this.warnings.push(`Flag --${name} has been deprecated, ${definition.deprecated}`);
    this.#read(name, `--${name}`, definition, () => argument(definition, rawName, value));
  }

  /** Reads options from the environment that the command line does not set. */
  fillIn(env: EnvironmentVariables): void {
    for (const [name, definition] of Object.entries(this.definitions)) {
      const text = this.#named.has(name) ? undefined : givenIn(name, env);
      if (text === undefined) continue;
      const variable = variableOf(name);
      if (definition.deprecated)
        this.warnings.push(`Variable ${variable} has been deprecated, ${definition.deprecated}`);
      this.#read(name, variable, definition, () => text);
    }
    for (const variable of unknownVariables(this.definitions, env))
      this.warnings.push(`Variable ${variable} is no option and has no effect`);
  }

  #read(name: string, called: string, definition: OptionDefinition, text: () => string): void {
    try {
      this.given.set(name, readValue(definition, text(), this.given.get(name)));
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      this.problems.push(`${called}: ${error.message}`);
    }
  }
}

/** `node:util` splits the arguments; they are interpreted above. */
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

/** Checks a value that could be parsed. */
function checked(name: string, definition: OptionDefinition, value: AnyValue): readonly string[] {
  try {
    if (definition.type === 'string' && typeof value === 'string') definition.check?.(value);
    if (definition.type === 'list' && Array.isArray(value)) definition.check?.(value);
    if (definition.type === 'map' && value instanceof Map) definition.check?.(value as ReadonlyMap<string, string>);
    return [];
  } catch (error) {
    if (error instanceof OptionsError) return error.problems;
    // Any exception of a check is the value's problem.
    return [`--${name}: ${error instanceof Error ? error.message : String(error)}`];
  }
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
