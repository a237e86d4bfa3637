import type { OptionDefinitions, OptionValues } from './definition.js';
import type { EnvironmentVariables } from './environment.js';
import { type Options, OptionsError } from './options.js';

/** The part of a stream that messages need. */
export interface Output {
  /** Writes text with its line ends, without waiting. */
  write(text: string): unknown;
}

/** Result of reading a command line: run with `values`, or exit with `exitCode`. */
export type CommandLine<D extends OptionDefinitions> =
  | { readonly run: true; readonly values: OptionValues<D> }
  | { readonly run: false; readonly exitCode: 0 | 1 };

interface Streams {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: EnvironmentVariables;
}

/**
 * Reads a program's options from its arguments and environment. `--help` prints to `stdout` (exit 0); wrong options are
 * explained on `stderr` (exit 2), even with `--help`; so are warnings. `usage` is the first line of the help, such as
 * `api-server [options]`.
 */
export function readCommandLine<D extends OptionDefinitions>(
  options: Options<D>,
  argv: readonly string[],
  usage: string,
  { stdout, stderr, env }: Streams = process,
): CommandLine<D> {
  try {
    const { values, warnings, help } = options.parse(argv, env);
    stderr.write(warnings.map((warning) => `Warning: ${warning}\n`).join(''));
    if (!help) return { run: true, values };
    stdout.write(options.help(usage));
    return { run: false, exitCode: 0 };
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    stderr.write(error.problems.map((problem) => `Error: ${problem}\n`).join(''));
    return { run: false, exitCode: 1 };
  }
}
