import { existsSync, statSync } from 'node:fs';
import type { ContainerConfig, ContainerMount, EnvironmentVariable } from '../../containers.js';
import { HELPERS } from '../supervisor/launcher.js';
import type { Account } from './accounts.js';
import { capabilitiesOf } from './capabilities.js';
import { unpackingArguments } from './environment.js';
import type { Helpers } from './helpers.js';
import type { IsolationLevel } from './level.js';
import { programOf } from './program-of.js';

/** Files that show or change the machine. */
const MASKED = [
  ...[
    '/proc/acpi',
    '/proc/asound',
    '/proc/kcore',
    '/proc/keys',
    '/proc/latency_stats',
    '/proc/sched_debug',
    '/proc/scsi',
  ],
  ...['/proc/timer_list', '/proc/timer_stats', '/sys/firmware', '/sys/devices/virtual/powercap'],
];
/** Settings of the machine. The files belong to root, which root in a container is as well, and ask for no capability. */
const READ_ONLY = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

/** Whether the kernel has such a file or folder: images have none there. */
const isOfKernel = (path: string): boolean => /^\/(?:proc|sys)\//.test(path) && existsSync(path);

/** Returns arguments that hide a file or a folder of the kernel, if there is one. */
function masked(path: string): string[] {
  if (!isOfKernel(path)) return [];
  return statSync(path).isDirectory() ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
}

/**
 * The usual devices one by one. With a /dev of its own making, bubblewrap puts the program into a second user namespace,
 * from which nobody could enter the other namespaces.
 */
const OWN_DEVICES = [
  ...['--tmpfs', '/dev', '--dir', '/dev/shm', '--tmpfs', '/dev/shm'],
  ...['null', 'zero', 'full', 'random', 'urandom', 'tty'].flatMap((name) => [
    '--dev-bind',
    `/dev/${name}`,
    `/dev/${name}`,
  ]),
  ...['--symlink', '/proc/self/fd', '/dev/fd', '--symlink', '/proc/self/fd/0', '/dev/stdin'],
  ...['--symlink', '/proc/self/fd/1', '/dev/stdout', '--symlink', '/proc/self/fd/2', '/dev/stderr'],
];

/** A container's program with all that it is to have. */
export interface ProgramPlan {
  /** Program and arguments. */
  readonly command: readonly string[];
  /** Variables; names occur once. */
  readonly env: readonly EnvironmentVariable[];
  /** Working directory in the container. */
  readonly workingDir: string;
  /** User and groups. */
  readonly account: Account;
  /** Root folder on the node. */
  readonly root: string;
  /** Mounts, whose places in the root are certain. */
  readonly mounts: readonly ContainerMount[];
  /** Host name; empty: the node's. */
  readonly hostname: string;
  /** Settings of the container. */
  readonly config: ContainerConfig;
}

/** Arguments that start a container, and those that start commands in it. */
interface Arguments {
  /** Starts the container's program. */
  readonly start: readonly string[];
  /** Comes before a command; `{pid}` stands for the container's first process. */
  readonly enter: readonly string[];
}

/** Returns the arguments for a level of isolation. @param helpers absent without isolation */
export function argumentsFor(level: IsolationLevel, plan: ProgramPlan, helpers: Helpers | undefined): Arguments {
  if (level === 'none' || !helpers) return plainArguments(plan);
  const isRoot = level === 'namespaces';
  const last = [...(isRoot ? privileges(plan, helpers) : []), ...helpers.run('env', ...unpackingArguments(plan.env))];
  const enter = [
    programOf('nsenter'),
    '--target={pid}',
    ...enteredNamespaces(plan, isRoot),
    `--wdns=${plan.workingDir}`,
    '--',
  ];
  return { start: [...bubblewrap(plan, helpers, isRoot), ...last, ...plan.command], enter: [...enter, ...last] };
}

/** Program and folder are the node's, and so are processes. */
function plainArguments({ env, command }: ProgramPlan): Arguments {
  const last = [programOf('env'), ...unpackingArguments(env)];
  return { start: [...last, ...command], enter: last };
}

const enteredNamespaces = ({ hostname, config }: ProgramPlan, isRoot: boolean): string[] => [
  ...(isRoot ? [] : ['--user', '--preserve-credentials']),
  ...['--mount', '--pid', '--root'],
  ...(hostname === '' ? [] : ['--uts']),
  ...(config.security.namespaces.ipc === 'node' ? [] : ['--ipc']),
];

function privileges({ account, config }: ProgramPlan, helpers: Helpers): string[] {
  const { uid, gid, groups } = account;
  const kept = capabilitiesOf(config.security).map((name) => `+${name.toLowerCase()}`);
  return helpers.run(
    'setpriv',
    ...[`--reuid=${uid}`, `--regid=${gid}`],
    groups.length === 0 ? '--clear-groups' : `--groups=${groups.join(',')}`,
    ...[
      `--bounding-set=${['-all', ...kept].join(',')}`,
      '--inh-caps=-all',
      '--ambient-caps=-all',
      '--no-new-privs',
      '--',
    ],
  );
}

function bubblewrap(
  { root, mounts, hostname, workingDir, account, config }: ProgramPlan,
  helpers: Helpers,
  isRoot: boolean,
): string[] {
  const { readOnlyRootFilesystem, namespaces, readOnlyPaths, maskedPaths } = config.security;
  return [
    ...[programOf('bwrap'), '--die-with-parent', '--unshare-pid', '--as-pid-1', '--new-session', '--info-fd', '3'],
    ...(isRoot ? [] : ['--unshare-user', '--uid', `${account.uid}`, '--gid', `${account.gid}`]),
    ...(hostname === '' ? [] : ['--unshare-uts', '--hostname', hostname]),
    ...(namespaces.ipc === 'node' ? [] : ['--unshare-ipc']),
    ...[
      '--bind',
      root,
      '/',
      '--proc',
      '/proc',
      ...(isRoot ? ['--dev', '/dev'] : OWN_DEVICES),
      '--ro-bind',
      '/sys',
      '/sys',
    ],
    ...(readOnlyPaths ?? READ_ONLY).filter(isOfKernel).flatMap((path) => ['--ro-bind', path, path]),
    ...(maskedPaths ?? MASKED).flatMap(masked),
    ...['--ro-bind', helpers.folder, HELPERS],
    ...mounts.flatMap(({ readOnly, hostPath, containerPath }) => [
      readOnly ? '--ro-bind' : '--bind',
      hostPath,
      containerPath,
    ]),
    ...(readOnlyRootFilesystem ? ['--remount-ro', '/'] : []),
    ...['--chdir', workingDir, '--'],
  ];
}
