import type { EnvironmentVariable } from '../../containers.js';

const PREFIX = 'ORCH_VARIABLE_';
const CLEARED = '-i -- ';
const TERMINAL = 'TERM=xterm ';

/**
 * Returns variables of a container as those of the programs that start it, each with its name in its value: arguments
 * are seen by all users of the machine, and names such as LD_PRELOAD would mean these programs.
 */
export const packedEnvironment = (env: readonly EnvironmentVariable[]): Record<string, string> =>
  Object.fromEntries(env.map(({ name, value }, index) => [`${PREFIX}${index}`, `${name}=${value}`]));

/** Returns the arguments with which `env` sets the packed variables, and no others. */
export const unpackingArguments = (env: readonly EnvironmentVariable[]): string[] => [
  '-S',
  CLEARED + env.map((_, index) => `\${${PREFIX}${index}}`).join(' '),
];

/** Adds the type of the terminal to the variables that arguments set, where the container has none. */
export const withTerminalType = (argv: readonly string[]): string[] =>
  argv.map((each, index) =>
    argv[index - 1] === '-S' && each.startsWith(CLEARED) ? CLEARED + TERMINAL + each.slice(CLEARED.length) : each,
  );
