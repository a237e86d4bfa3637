import { RELEASE } from '@orch/runtime';
import { pick, type Subcommand } from './subcommands.js';

/** Loaded on demand: none pays for what only another needs. */
const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  backup: async (args) => (await import('./backup/backup.js')).backup(args),
  'bootstrap-token': async (args) => (await import('./cluster/bootstrap-token.js')).bootstrapToken(args),
  convert: async (args) => (await import('./convert/convert.js')).convert(args),
  kubeconfig: async (args) => (await import('./cluster/kubeconfig.js')).kubeconfig(args),
  nats: (args) => pick(NATS, NATS_USAGE, args),
  restore: async (args) => (await import('./backup/restore.js')).restore(args),
  storage: (args) => pick(STORAGE, STORAGE_USAGE, args),
  async version() {
    process.stdout.write(`orchctl ${RELEASE}\n`);
    return 0;
  },
};

const USAGE = `usage: orchctl <command> [options]

  backup           copies the database of a running orch standalone into a file
  bootstrap-token  prints the objects with which nodes join by a bootstrap token
  convert          converts manifests from one API version to another
  kubeconfig       prints a kubeconfig for a user, with a certificate that it signs
  nats users       prints the NATS permissions of api-servers and gateways
  restore          creates the database of an orch standalone from a backup
  storage migrate  migrates the database schema to this release
  storage rewrite  encrypts stored objects again, by the current encryption configuration
  storage roles    creates database roles with the least privileges for each process
  version          prints the version

orchctl <command> --help lists the options of a command.
`;

const STORAGE: Readonly<Record<string, Subcommand>> = {
  migrate: async (args) => (await import('./storage/migrate.js')).migrate(args),
  rewrite: async (args) => (await import('./storage/rewrite.js')).rewrite(args),
  roles: async (args) => (await import('./storage/roles.js')).roles(args),
};

const STORAGE_USAGE = `usage: orchctl storage <command> [options]

  migrate  migrates the database schema to this release, as the role that owns the schemas
  rewrite  rewrites objects that are not encrypted as --encryption-provider-config says now
  roles    creates database roles for migrations, api-servers and gateways, with the least privileges that each needs
`;

const NATS: Readonly<Record<string, Subcommand>> = {
  users: async (args) => (await import('./nats/users.js')).users(args),
};

const NATS_USAGE = `usage: orchctl nats <command> [options]

  users  prints the NATS permissions of api-servers and gateways
`;

/** The executable: picks the subcommand. */
export async function main(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', endedByReader);
  return pick(SUBCOMMANDS, USAGE, argv[0] === '--version' ? ['version'] : argv);
}

/** Ends the process when the reader of its output has closed the pipe. */
function endedByReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}
