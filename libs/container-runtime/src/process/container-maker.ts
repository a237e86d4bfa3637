import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '@orch/runtime/clock';
import type { ContainerConfig, ContainerMount, CreateContainerRequest, EnvironmentVariable } from '../containers.js';
import { RuntimeError } from '../runtime-error.js';
import { Cgroups, removeGroups } from './cgroups/cgroups.js';
import type { ContainerFolders } from './container-folders.js';
import type { ImageStore, UnpackedImage } from './images/image-store.js';
import { accountOf } from './isolation/accounts.js';
import { packedEnvironment } from './isolation/environment.js';
import type { Helpers } from './isolation/helpers.js';
import type { IsolationLevel } from './isolation/level.js';
import { makeFolder, placedMounts } from './isolation/mounts.js';
import { argumentsFor, type ProgramPlan } from './isolation/plans.js';
import { checkContainer, checkLimits } from './isolation/refusals.js';
import type { SandboxFolders } from './sandbox-folders.js';
import { writeJson } from './state/json-file.js';
import { CONTAINER_FILES, type ContainerRecord } from './state/records.js';

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const DEFAULT_CGROUP = '/orch';
const RESOLVER = '/etc/resolv.conf';

/** Stores and settings that containers are made from. */
interface MakerContext {
  /** Isolation of all containers. */
  readonly level: IsolationLevel;
  /** Programs within containers; absent without isolation. */
  readonly helpers: Helpers | undefined;
  /** Sandboxes. */
  readonly sandboxes: SandboxFolders;
  /** Containers. */
  readonly containers: ContainerFolders;
  /** Images. */
  readonly images: ImageStore;
}

/** Makes containers: checks what they ask for, copies their root, and plans how their programs are started. */
export class ContainerMaker {
  readonly #cgroups = new Cgroups();

  constructor(private readonly context: MakerContext) {}

  /** Makes a container; returns its id. @throws RuntimeError, and nothing of the container is left */
  async make(request: CreateContainerRequest): Promise<string> {
    const { level, sandboxes, containers, images } = this.context;
    const { config, sandboxId } = request;
    if (sandboxes.get(sandboxId).state !== 'ready')
      throw new RuntimeError('FailedPrecondition', `sandbox "${sandboxId}" is not ready`);
    checkContainer(config, level);
    const image = images.find(config.image);
    if (!image) throw new RuntimeError('NotFound', `image "${config.image}" not found`);
    const id = containers.make();
    let cgroups: readonly string[] = [];
    try {
      cgroups = this.#makeGroups(id, request);
      writeJson(join(containers.pathOf(id), CONTAINER_FILES.record), await this.#record(id, request, image, cgroups));
      return id;
    } catch (error) {
      removeGroups(cgroups);
      await containers.remove(id);
      throw error;
    }
  }

  /** Changes limits. @throws RuntimeError where there are no control groups */
  update(record: ContainerRecord, resources: NonNullable<ContainerConfig['resources']>): void {
    if (record.launch.cgroups.length === 0) checkLimits({ resources });
    else this.#cgroups.set(record.launch.cgroups, resources);
  }

  #makeGroups(id: string, { config, sandboxConfig }: CreateContainerRequest): readonly string[] {
    const { cgroupParent = '' } = sandboxConfig;
    const path = posix.join(cgroupParent === '' ? DEFAULT_CGROUP : cgroupParent, id);
    const cgroups = this.context.level === 'namespaces' ? this.#cgroups.make(path, config.resources ?? {}) : [];
    if (cgroups.length === 0) checkLimits(config);
    return cgroups;
  }

  async #record(
    id: string,
    request: CreateContainerRequest,
    image: UnpackedImage,
    cgroups: readonly string[],
  ): Promise<ContainerRecord> {
    const { level, helpers } = this.context;
    const { config, sandboxConfig } = request;
    const plan = await this.#plan(id, request, image);
    const { start, enter } = argumentsFor(level, plan, helpers);
    const score = config.resources?.oomScoreAdj;
    const isPlain = level === 'none';
    return {
      ...{ id, request, enter, imageRef: image.id, createdAt: systemClock.wall() },
      logPath: join(sandboxConfig.logDirectory, config.logPath),
      stopSignal: signalOf(image.defaults.StopSignal),
      launch: {
        ...{
          argv: start,
          announces: !isPlain,
          cgroups,
          env: packedEnvironment(plan.env),
          cwd: isPlain && existsSync(plan.workingDir) ? plan.workingDir : '/',
        },
        ...(score !== undefined && { oomScoreAdj: score }),
      },
    };
  }

  async #plan(id: string, request: CreateContainerRequest, image: UnpackedImage): Promise<ProgramPlan> {
    const { level, sandboxes, containers } = this.context;
    const { config, sandboxConfig, sandboxId } = request;
    const { defaults } = image;
    const workingDir = config.workingDir || defaults.WorkingDir || '/';
    const program = {
      command: commandOf(config, image),
      env: environmentOf(config, defaults.Env ?? []),
      workingDir,
      config,
    };
    const { hostname } = sandboxConfig;
    if (level === 'none') {
      const account = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, groups: [] };
      return { ...program, account, root: '/', mounts: [], hostname: '' };
    }
    const root = join(containers.pathOf(id), CONTAINER_FILES.root);
    await copyRoot(image.root, root);
    await makeFolder(root, workingDir);
    const resolver = sandboxes.resolverOf(sandboxes.get(sandboxId));
    const mounts = await placedMounts(root, withResolver(config.mounts ?? [], resolver));
    const account = await accountOf(root, defaults.User ?? '', config.security);
    return { ...program, account, root, mounts, hostname };
  }
}

/** Every container has a root of its own to write to. */
async function copyRoot(from: string, to: string): Promise<void> {
  mkdirSync(to, { mode: 0o755 });
  await promisify(execFile)('cp', ['-a', '--reflink=auto', `${from}/.`, to]);
}

const withResolver = (mounts: readonly ContainerMount[], hostPath: string): readonly ContainerMount[] =>
  !existsSync(hostPath) || mounts.some(({ containerPath }) => containerPath === RESOLVER)
    ? mounts
    : // The file of the machine is not theirs to change.
      [...mounts, { hostPath, containerPath: RESOLVER, readOnly: hostPath === RESOLVER }];

function commandOf({ command = [], args = [] }: ContainerConfig, { defaults }: UnpackedImage): string[] {
  const program = command.length > 0 ? command : (defaults.Entrypoint ?? []);
  const rest = args.length > 0 || command.length > 0 ? args : (defaults.Cmd ?? []);
  if (program.length + rest.length === 0) throw new RuntimeError('InvalidArgument', 'no command specified');
  return [...program, ...rest];
}

function environmentOf({ env = [] }: ContainerConfig, ofImage: readonly string[]): EnvironmentVariable[] {
  const all = new Map([['PATH', DEFAULT_PATH]]);
  for (const text of ofImage) {
    const end = text.indexOf('=');
    if (end > 0) all.set(text.slice(0, end), text.slice(end + 1));
  }
  for (const { name, value } of env) all.set(name, value);
  return [...all].map(([name, value]) => ({ name, value }));
}

/** Returns a signal's name; images may say its number. */
function signalOf(text = ''): string {
  const name = text.toUpperCase();
  if (name === '' || name === '15') return 'SIGTERM';
  if (/^\d+$/.test(name)) return NUMBERED[name] ?? 'SIGTERM';
  return name.startsWith('SIG') ? name : `SIG${name}`;
}

const NUMBERED: Readonly<Record<string, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  9: 'SIGKILL',
  10: 'SIGUSR1',
  12: 'SIGUSR2',
};
