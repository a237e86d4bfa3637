import type { OptionDefinitions, OptionValues } from './definition.js';
import { type Options, OptionsError } from './options.js';

export interface Output {
  write(text: string): unknown;
}

/** What a program does with its command line: go on with `values`, or leave with `exitCode`. */
export type CommandLine<D extends OptionDefinitions> =
  | { readonly run: true; readonly values: OptionValues<D>; readonly warnings: readonly string[] }
  | { readonly run: false; readonly exitCode: 0 | 2 };

/**
 * Reads a program's arguments. `--help` prints to `stdout` (exit 0); a wrong command line is explained on `stderr` (exit 2).
 * `usage` is the first line of the help, such as `api-server [options]`.
 */
export function readCommandLine<D extends OptionDefinitions>(
  options: Options<D>,
  argv: readonly string[],
  usage: string,
  { stdout, stderr }: { stdout: Output; stderr: Output } = process,
): CommandLine<D> {
  try {
    const { values, warnings, help } = options.parse(argv);
    if (!help) return { run: true, values, warnings };
    stdout.write(options.help(usage));
    return { run: false, exitCode: 0 };
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    stderr.write(`${error.problems.map((problem) => `Error: ${problem}\n`).join('')}See --help for usage.\n`);
    return { run: false, exitCode: 2 };
  }
}
