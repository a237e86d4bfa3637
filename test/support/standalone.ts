import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { NamingProfile } from '@orch/machinery';
import { answersOk, EXECUTABLE, freePorts, letUsersIn, ManagedProcess } from '../../tools/up/index.js';
import { copyTemplate, startsAsUsual } from './data-template.js';
import { makeServerFolder } from './run-folder.js';

export interface StandaloneSettings {
  readonly naming?: NamingProfile;
  /** Further options of `orch standalone`. */
  readonly args?: readonly string[];
  /** Another build of `orch` than the one in this tree. */
  readonly executable?: string;
  /** Users beside the administrator, who may do everything; each is its own token. */
  readonly users?: readonly string[];
  /** Users who may do nothing of themselves; each is its own token. */
  readonly strangers?: readonly string[];
  /** Prepares the folder of the database before the server starts; what it returns is done once the server is gone. */
  readonly prepare?: (postgresDir: string) => (() => void) | Promise<() => void>;
  /** Variables of its environment beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Groups that users are in. */
  readonly groups?: Readonly<Record<string, string>>;
  /** The server makes its data itself, where it would be given a copy of what others have made otherwise. */
  readonly makesData?: boolean;
}

/** A server of its own for one test file, whose database holds what every installation has. */
export interface Standalone {
  /** HTTPS, with a certificate of `ca`. */
  readonly url: string;
  /** Plain HTTP on loopback. */
  readonly plainUrl: string;
  readonly ca: string;
  /** Bearer token of a member of `system:masters`. */
  readonly token: string;
  /** Path of a kubeconfig of an administrator. */
  readonly kubeconfig: string;
  readonly naming: NamingProfile;
  /** Folder of the embedded PostgreSQL. */
  readonly postgresDir: string;
  readonly process: ManagedProcess;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

/** Starts `orch standalone` on free ports in a new temporary directory; resolves when it is ready. */
export async function startStandalone(settings: StandaloneSettings = {}): Promise<Standalone> {
  const {
    naming = 'kubernetes',
    args = [],
    users = [],
    strangers = [],
    groups = {},
    executable = EXECUTABLE,
  } = settings;
  const dir = makeServerFolder('orch-test-');
  const data = join(dir, 'data');
  mkdirSync(data);
  if (takesTemplate(settings)) await copyTemplate(`standalone-${naming}`, data, (folder) => makeData(folder, naming));
  const undo = await settings.prepare?.(join(data, 'postgres'));
  const token = randomBytes(24).toString('hex');
  const tokenFile = join(dir, 'tokens.csv');
  const tokens = [
    `${token},tester,tester,"system:masters"`,
    ...[...users, ...strangers].map((user) => lineOf(user, groups[user])),
  ];
  writeFileSync(tokenFile, `${tokens.join('\n')}\n`, { mode: 0o600 });
  const kubeconfig = join(dir, 'kubeconfig');
  const caFile = join(data, 'pki', 'ca.crt');
  const [securePort, plainPort] = await freePorts(2);
  const url = `https://127.0.0.1:${securePort}`;
  const server = new ManagedProcess({
    name: 'standalone',
    command: process.execPath,
    args: [
      executable,
      'standalone',
      `--secure-port=${securePort}`,
      `--insecure-port=${plainPort}`,
      `--data-dir=${data}`,
      `--naming=${naming}`,
      `--token-auth-file=${tokenFile}`,
      `--kubeconfig-out=${kubeconfig}`,
      ...args,
    ],
    cwd: dir,
    ...(settings.env && { env: settings.env }),
    logFile: join(dir, 'server.log'),
    ready: async () => {
      const ca = readIfPresent(caFile);
      // Where everything is allowed, nobody is let in without credentials.
      return ca !== undefined && (await answersOk(`${url}/readyz`, ca, token));
    },
  });
  try {
    await server.start();
  } catch (error) {
    undo?.();
    throw error;
  }
  const ca = readFileSync(caFile, 'utf8');
  await letUsersIn({ url, ca, token, naming }, users);
  return {
    url,
    plainUrl: `http://127.0.0.1:${plainPort}`,
    ca,
    token,
    kubeconfig,
    naming,
    postgresDir: join(data, 'postgres'),
    process: server,
    async stop() {
      await server.stop();
      undo?.();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Another build makes data of its own, and what is prepared for the folder of the database is in place before it is filled. */
const takesTemplate = ({ args = [], executable, prepare, makesData }: StandaloneSettings): boolean =>
  !makesData && executable === undefined && prepare === undefined && startsAsUsual(args);

async function makeData(folder: string, naming: NamingProfile): Promise<void> {
  const server = await startStandalone({ naming, makesData: true });
  await server.process.stop();
  renameSync(dirname(server.postgresDir), folder);
  await server.stop();
}

/** A user of the token file, who is its own token. */
const lineOf = (user: string, group: string | undefined) =>
  [user, user, user, ...(group === undefined ? [] : [JSON.stringify(group)])].join(',');

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
