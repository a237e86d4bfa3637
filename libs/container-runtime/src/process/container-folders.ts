import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '@orch/runtime';
import { systemClock } from '@orch/runtime/clock';
import type { ContainerState, ListedContainer, RuntimeContainerStatus } from '../containers.js';
import { RuntimeError } from '../runtime-error.js';
import { readJson } from './state/json-file.js';
import { isRunning } from './state/processes.js';
import { CONTAINER_FILES, type ContainerProgress, type ContainerRecord } from './state/records.js';

/** Exit code of a container whose supervisor was killed. */
const LOST = 255;

/** A container with its progress. */
export interface KnownContainer {
  /** Settings that it was made with. */
  readonly record: ContainerRecord;
  /** Progress; absent before it was started. */
  readonly progress?: ContainerProgress;
  /** Its state. */
  readonly state: ContainerState;
}

/** The folders of containers: all that is known about them, also for a process that starts later. */
export class ContainerFolders {
  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o711 });
  }

  /** Removes what a process has left that ended while it made a container, or removed one. */
  async removeIncomplete(): Promise<void> {
    for (const id of readdirSync(this.folder))
      if (!existsSync(join(this.pathOf(id), CONTAINER_FILES.record))) await this.remove(id);
  }

  /** Makes a folder; returns the id. */
  make(): string {
    const id = randomBytes(16).toString('hex');
    mkdirSync(this.pathOf(id), { mode: 0o711 });
    return id;
  }

  /** Returns the folder of a container. */
  pathOf(id: string): string {
    return join(this.folder, id);
  }

  /** Returns a container. @throws RuntimeError `NotFound` */
  get(id: string): KnownContainer {
    const found = this.find(id);
    if (!found) throw new RuntimeError('NotFound', `container "${id}" not found`);
    return found;
  }

  /** Returns a container; undefined if there is none. */
  find(id: string): KnownContainer | undefined {
    if (!/^[0-9a-f]{32}$/.test(id)) return undefined;
    const record = readJson<ContainerRecord>(join(this.pathOf(id), CONTAINER_FILES.record));
    if (!record) return undefined;
    const progress = readJson<ContainerProgress>(join(this.pathOf(id), CONTAINER_FILES.progress));
    if (progress) endUnsupervised(progress);
    return {
      record,
      ...(progress && { progress }),
      state: stateOf(progress),
    };
  }

  /** Returns all containers. */
  list(): KnownContainer[] {
    return readdirSync(this.folder).flatMap((id) => this.find(id) ?? []);
  }

  /** Removes a folder. */
  async remove(id: string): Promise<void> {
    await removeTree(this.pathOf(id));
  }
}

/**
 * Kills the program of a container whose supervisor was killed. The kernel does so for most; it does not where the
 * program has become another user, as the process above it has no right to.
 */
function endUnsupervised({ supervisor, pid, startTicks, finishedAt }: ContainerProgress): void {
  if (finishedAt !== undefined || pid === undefined || startTicks === undefined || isRunning(supervisor)) return;
  if (!isRunning({ pid, startTicks })) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

function stateOf(progress: ContainerProgress | undefined): ContainerState {
  if (!progress) return 'created';
  if (progress.finishedAt !== undefined || !isRunning(progress.supervisor)) return 'exited';
  return progress.startedAt === undefined ? 'created' : 'running';
}

/** Returns a container as lists have it. */
export function listed({ record, state }: KnownContainer): ListedContainer {
  const { id, request, imageRef, createdAt } = record;
  const { metadata, image, labels, annotations } = request.config;
  return { id, sandboxId: request.sandboxId, metadata, image, imageRef, state, createdAt, labels, annotations };
}

/** Returns a container's state and outcome. A container whose supervisor was killed has ended with it, nobody knows how. */
export function statusOf(known: KnownContainer): RuntimeContainerStatus {
  const { record, progress, state } = known;
  const { sandboxId: _, ...rest } = listed(known);
  const isLost = state === 'exited' && progress?.finishedAt === undefined;
  const finishedAt = isLost ? systemClock.wall() : progress?.finishedAt;
  const lost = { exitCode: LOST, reason: 'Unknown', message: 'the supervisor of the container was killed' };
  const outcome = {
    exitCode: progress?.exitCode ?? 0,
    reason: progress?.reason ?? '',
    message: progress?.message ?? '',
  };
  return {
    ...rest,
    ...(progress?.startedAt !== undefined && { startedAt: progress.startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
    ...(isLost ? lost : outcome),
    mounts: record.request.config.mounts ?? [],
    logPath: record.logPath,
    ...(record.request.config.resources && { resources: record.request.config.resources }),
  };
}
