import { dirname, resolve } from 'node:path';
import { JsonSyntaxError, parseYaml, YamlSyntaxError } from '@orch/codec';
import { isObject, type JsonValue } from '@orch/machinery';
import { defineOptions, type EnvironmentVariables, type OptionDefinition, OptionsError } from '@orch/runtime';
import { agentDefinitions, agentOptions, type NodeAgentOptions } from './agent-options.js';
import { CONFIGURATION_FIELDS, optionTexts } from './configuration-fields.js';

const VERSION = /^kubelet\.config\.(?:k8s|orch)\.io\/v1beta1$/;
const KIND = 'KubeletConfiguration';
/** Options by themselves: their combinations are checked once the file has been read. */
const single = defineOptions(agentDefinitions);

/** Arguments that a configuration file stands for, by the option that they set. */
type Arguments = ReadonlyMap<string, readonly string[]>;

/** Result of reading the options of an agent. */
interface ReadAgentOptions {
  /** Every option's value. */
  readonly values: NodeAgentOptions;
  /** Warnings for the log. */
  readonly warnings: readonly string[];
  /** Whether `--help` was given. */
  readonly help: boolean;
}

/**
 * Reads the options of an agent from its arguments, variables and the file that `--config` names, in that order of
 * precedence.
 * @param readFile returns the content of a file
 * @throws OptionsError with all problems
 */
export function readAgentOptions(
  argv: readonly string[],
  env: EnvironmentVariables,
  readFile: (path: string) => string,
): ReadAgentOptions {
  const { values, help } = single.parse(argv, env);
  if (help || values.config === undefined || values.config === '') return agentOptions.parse(argv, env);
  const configured = readConfiguration(values.config, readFile);
  const given = namedOptions(argv);
  const rest = [...configured].filter(([option]) => !given.has(option) && !isInEnvironment(option, env));
  return agentOptions.parse([...rest.flatMap(([, texts]) => texts), ...argv], env);
}

/** Returns the options that arguments name. */
function namedOptions(argv: readonly string[]): Set<string> {
  const named = new Set<string>();
  for (const argument of argv) {
    if (argument === '--') break;
    const long = /^--([^=]+)/.exec(argument)?.[1];
    if (long) named.add(long);
    else if (/^-v/.test(argument)) named.add('v');
  }
  return named;
}

const isInEnvironment = (option: string, env: EnvironmentVariables): boolean =>
  (env[`ORCH_${option.toUpperCase().replaceAll('-', '_')}`] ?? '') !== '';

/** Reads and checks a configuration file. @throws OptionsError with all problems of the file */
function readConfiguration(path: string, readFile: (path: string) => string): Arguments {
  const root = parseFile(path, readFile);
  const problems: string[] = [];
  if (typeof root.apiVersion !== 'string' || !VERSION.test(root.apiVersion) || root.kind !== KIND)
    problems.push(`is not a ${KIND} of kubelet.config.k8s.io/v1beta1`);
  const found = new Map<string, readonly string[]>();
  const { apiVersion: _version, kind: _kind, ...fields } = root;
  for (const [name, value] of leaves(fields, '')) {
    const known = CONFIGURATION_FIELDS.get(name);
    if (!known) {
      problems.push(`unknown field "${name}"`);
      continue;
    }
    try {
      const texts = optionTexts(value, known.form ?? 'scalar', (text) => absolute(path, text));
      found.set(known.option, checked(known.option, texts));
    } catch (error) {
      problems.push(...messagesOf(error).map((message) => `${name}: ${message}`));
    }
  }
  if (problems.length > 0) throw new OptionsError(problems.map((problem) => `--config ${path}: ${problem}`));
  return found;
}

const absolute = (path: string, text: string): string => (text === '' ? '' : resolve(dirname(path), text));

/** Returns arguments that set the option; lists begin with an empty use, which replaces the default. */
function checked(option: keyof typeof agentDefinitions, texts: readonly string[]): string[] {
  const definition: OptionDefinition = agentDefinitions[option];
  // A list whose uses are entries has nothing to replace.
  const isReplaced = definition.type === 'list' && !definition.whole;
  const uses = isReplaced && texts.length === 0 ? [''] : texts;
  const argv = uses.map((text) => `--${option}=${text}`);
  single.parse(argv);
  return argv;
}

function messagesOf(error: unknown): readonly string[] {
  if (error instanceof OptionsError) return error.problems.map((problem) => problem.replace(/^--[\w-]+: /, ''));
  if (error instanceof Error) return [error.message];
  throw error;
}

function parseFile(path: string, readFile: (path: string) => string): Record<string, JsonValue> {
  try {
    const { value, repeated } = parseYaml(readFile(path));
    if (repeated.length > 0) throw new YamlSyntaxError(repeated.join('; '));
    if (isObject(value)) return value as Record<string, JsonValue>;
    throw new YamlSyntaxError('is no object');
  } catch (error) {
    if (error instanceof YamlSyntaxError || error instanceof JsonSyntaxError || isSystemError(error))
      throw new OptionsError([`--config ${path}: ${error.message}`]);
    throw error;
  }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'code' in error;

/** Fields of objects whose members are fields, by the path of each. */
function* leaves(value: Record<string, JsonValue>, path: string): Generator<readonly [string, JsonValue]> {
  for (const [name, entry] of Object.entries(value)) {
    const own = path === '' ? name : `${path}.${name}`;
    // A field that is null is unset, as in other objects.
    if (entry === null) continue;
    if (isGroup(own) && isObject(entry)) yield* leaves(entry as Record<string, JsonValue>, own);
    else yield [own, entry];
  }
}

const isGroup = (path: string): boolean =>
  [...CONFIGURATION_FIELDS.keys()].some((known) => known.startsWith(`${path}.`));
