import { setFlagsFromString } from 'node:v8';

/** A subcommand; gets the arguments behind its name and resolves with the exit code. */
type Subcommand = (args: readonly string[]) => Promise<number>;

/** Loaded on demand: a gateway does not pay for what only standalone needs. */
const SUBCOMMANDS: Readonly<Record<string, () => Promise<{ main: Subcommand }>>> = {
  standalone: () => import('@orch/standalone'),
  'api-server': () => import('@orch/api-server'),
  'watch-gateway': () => import('@orch/watch-gateway'),
  scheduler: () => import('@orch/scheduler-service'),
  'node-agent': () => import('@orch/node-agent'),
  version: () => import('./version.js'),
};

/**
 * Calls of a function until V8 optimizes it. By default it waits for 3,000, and a server is slower than need be for its
 * first 12,000 writes.
 */
const CALLS_UNTIL_OPTIMIZED = 1_000;

const USAGE = `usage: orch <command> [options]

  standalone      everything in one process, with an embedded PostgreSQL
  api-server      stateless API server in front of PostgreSQL
  watch-gateway   serves watches from NATS, and from PostgreSQL where messages were lost
  scheduler       chooses nodes for pods
  node-agent      runs the pods that are bound to this machine
  version         prints the version

orch <command> --help lists the options of a command.
`;

/** The executable: picks the subcommand. */
export async function main(argv: readonly string[]): Promise<number> {
  const [name, ...args] = argv;
  const asked = name === '--help' || name === '-h' || name === 'help';
  if (name === '--version') return (await import('./version.js')).main();
  const load = name !== undefined && Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  if (load) {
    setFlagsFromString(`--invocation-count-for-turbofan=${CALLS_UNTIL_OPTIMIZED}`);
    return (await load()).main(args).catch(failed);
  }
  (asked ? process.stdout : process.stderr).write(USAGE);
  return asked ? 0 : 2;
}

/** Prints an error that was not logged. Returns the exit code. */
function failed(error: unknown): number {
  process.stderr.write(`Error: ${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
}
