import { RELEASE } from '@orch/runtime';
import { convert } from './convert/convert.js';

/** What a subcommand does with the arguments behind its name; resolves with the exit code. */
type Subcommand = (args: readonly string[]) => Promise<number>;

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  convert: (args) => convert(args),
  async version() {
    process.stdout.write(`orchctl ${RELEASE}\n`);
    return 0;
  },
};

const USAGE = `usage: orchctl <command> [options]

  convert         brings manifests of one version of an API to another
  version         prints the version

orchctl <command> --help lists the options of a command.
`;

/** The executable: picks the subcommand. */
export async function main(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', endedByReader);
  const [first = '', ...args] = argv;
  const name = first === '--version' ? 'version' : first;
  const subcommand = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  if (subcommand) return subcommand(args);
  const asked = ['--help', '-h', 'help'].includes(name);
  (asked ? process.stdout : process.stderr).write(USAGE);
  return asked ? 0 : 2;
}

/** Whoever reads the output has had enough of it. */
function endedByReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}
