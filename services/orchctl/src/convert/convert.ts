import { conversionsOf } from '@orch/kinds';
import { namesOf } from '@orch/machinery';
import { defineOptions, type Output, readCommandLine } from '@orch/runtime';
import { loadScheme } from '@orch/schema';
import { type CommandIO, ownVariables } from '../command-io.js';
import { printed } from '../printed.js';
import { parseDocument, splitDocuments } from './documents.js';
import { type Input, inputsOf } from './inputs.js';
import { type ConversionReporter, ManifestConverter } from './manifest-converter.js';

const options = defineOptions({
  filename: {
    type: 'list',
    short: 'f',
    default: [],
    help: 'Files and directories to read; - is standard input.',
  },
  recursive: { type: 'bool', short: 'R', help: 'Read subdirectories as well.' },
  'output-version': {
    type: 'string',
    help: 'Group and version to convert to, such as apps/v1. Default: the preferred version of each kind.',
  },
  output: { type: 'string', short: 'o', choices: ['yaml', 'json'], default: 'yaml', help: 'Format of the output.' },
  naming: {
    type: 'string',
    choices: ['orch', 'kubernetes'],
    default: 'orch',
    help: 'Names of API groups in the manifests: the value of --naming of the servers that they are for.',
  },
});

/**
 * `orchctl convert`. Resolves with the exit code: 0, 1 when something could not be read or converted (the rest is
 * written), 2 for wrong options.
 */
export async function convert(args: readonly string[], around: CommandIO = process): Promise<number> {
  const { stdin, stdout, stderr, env } = around;
  const line = readCommandLine(options, args, 'orchctl convert -f FILE [options]', {
    stdout,
    stderr,
    env: ownVariables(options, env),
  });
  if (!line.run) return line.exitCode;
  const { filename, recursive, outputVersion, output, naming } = line.values;
  if (filename.length === 0) {
    stderr.write('Error: --filename: name at least one file, or - for standard input\n');
    return 1;
  }
  const scheme = loadScheme(namesOf(naming));
  if (outputVersion !== undefined && !conversionsOf(scheme).knowsAny(outputVersion)) {
    stderr.write(`Error: --output-version: no kind is known in ${JSON.stringify(outputVersion)} (naming ${naming})\n`);
    return 1;
  }
  const converter = new ManifestConverter(scheme, outputVersion);
  const failures = new Failures(stderr);
  const made: unknown[] = [];
  for await (const input of inputsOf(filename, recursive, stdin, (error) => failures.add(error.message))) {
    for (const object of convertInput(input, converter, failures)) made.push(object);
  }
  if (made.length === 0 && !failures.any) failures.add(`nothing to convert in ${filename.join(', ')}`);
  stdout.write(printed(made, output));
  return failures.any ? 1 : 0;
}

/** Prints errors as they happen, and remembers that there were any. */
class Failures {
  any = false;

  constructor(private readonly stderr: Output) {}

  add(message: string): void {
    this.any = true;
    this.stderr.write(`Error: ${message}\n`);
  }

  notesFor(place: string): ConversionReporter {
    return {
      error: (message) => this.add(`${place}: ${message}`),
      warning: (message) => void this.stderr.write(`Warning: ${place}: ${message}\n`),
    };
  }
}

/** The objects that a file's documents come to, in order. */
function* convertInput({ name, text }: Input, converter: ManifestConverter, failures: Failures): Iterable<unknown> {
  for (const document of splitDocuments(text)) {
    const at = (line: number): string => `${name}:${line}`;
    const parsed = parseDocument(document);
    if ('error' in parsed) {
      failures.add(`${at(parsed.line)}: ${parsed.error}`);
      continue;
    }
    const notes = failures.notesFor(at(document.begin));
    for (const { line, text: repeated } of parsed.repeated) failures.notesFor(at(line)).warning(repeated);
    const object = parsed.value === null ? undefined : converter.convert(parsed.value, notes);
    if (object !== undefined) yield object;
  }
}
