import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { badRequest, StatusError } from '@orch/machinery';
import type { Pod } from '@orch/schema/types/core/v1';
import type { AgentServerSettings } from '../agent-server-settings.js';
import { type ContainerPath, hasContainer, idOf, podOf, statusOf } from '../found.js';
import { logOptionsOf } from './log-options.js';
import { readLog } from './read-log.js';

/** Sends the log of a container, as it is written where that is asked for. @throws StatusError */
export async function sendContainerLog(
  { agent, runtime, clock }: Pick<AgentServerSettings, 'agent' | 'runtime' | 'clock'>,
  path: ContainerPath,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const options = logOptionsOf(query, clock.wall());
  const pod = podNamed(agent, path);
  const id = loggedId(pod, path, options.previous);
  const { logPath } = await runtime.containerStatus(id).catch((error: Error) => {
    throw badRequest(`failed to try resolving symlinks in path of container ${id}: ${error.message}`);
  });
  const left = new AbortController();
  response.once('close', () => left.abort());
  const isRunning = async () => (await runtime.containerStatus(id).catch(() => undefined))?.state === 'running';
  const log = readLog({ path: logPath, isRunning, clock }, options, left.signal);
  const first = await log.next().catch((error: Error) => {
    throw badRequest(error.message);
  });
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.flushHeaders();
  if (first.value) await write(response, first.value);
  for await (const piece of log) await write(response, piece);
  response.end();
}

async function write(response: ServerResponse, piece: Buffer): Promise<void> {
  if (response.write(piece) || response.destroyed) return;
  const done = new AbortController();
  const { signal } = done;
  await Promise.race(['drain', 'close'].map((name) => once(response, name, { signal }).catch(() => undefined)));
  done.abort();
}

function podNamed(agent: AgentServerSettings['agent'], path: ContainerPath): Pod {
  const { pod: name, container } = path;
  let pod: Pod;
  try {
    pod = podOf(agent, path);
  } catch {
    throw new StatusError('NotFound', `pod ${JSON.stringify(name)} does not exist`);
  }
  if (hasContainer(pod, container)) return pod;
  throw new StatusError('NotFound', `container ${JSON.stringify(container)} not found in pod ${JSON.stringify(name)}`);
}

/** Id of the run whose log is asked for. @throws StatusError 400 */
function loggedId(pod: Pod, { pod: podName, container }: ContainerPath, previous: boolean): string {
  const status = statusOf(pod, container);
  const of = `container ${JSON.stringify(container)} in pod ${JSON.stringify(podName)}`;
  if (!status) throw badRequest(`${of} is not available`);
  const { state = {}, lastState = {}, containerID } = status;
  const last = lastState.terminated?.containerID || undefined;
  if (previous) {
    if (last === undefined) throw badRequest(`previous terminated ${of} not found`);
    return idOf(last);
  }
  const id = state.running ? containerID : state.terminated?.containerID || last;
  if (id !== undefined && id !== '') return idOf(id);
  if (state.terminated || lastState.terminated) throw badRequest(`${of} is terminated`);
  throw badRequest(`${of} is waiting to start${waitingText(state.waiting?.reason)}`);
}

function waitingText(reason: string | undefined): string {
  if (reason === undefined) return ' - no logs yet';
  if (reason === 'ErrImagePull') return ": image can't be pulled";
  if (reason === 'ImagePullBackOff') return ': trying and failing to pull image';
  return `: ${reason}`;
}
