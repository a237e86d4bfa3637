import type { Runtime, StreamEndpoint, StreamSelection } from '@orch/container-runtime';
import { isNotFound, RuntimeError } from '@orch/container-runtime';
import { badRequest, StatusError } from '@orch/machinery';
import { isWebSocketRequest, type SessionTimes, serveCommand, servePorts, type UpgradeRequest } from '@orch/streaming';
import type { AgentServerSettings } from './agent-server-settings.js';
import { type ContainerPath, podOf, runningId } from './found.js';
import { passUpgrade } from './pass-upgrade.js';

/** Serves commands, attachments and forwarded ports. */
export class Commands {
  readonly #times: SessionTimes;

  constructor(private readonly settings: Pick<AgentServerSettings, 'agent' | 'runtime' | 'options'>) {
    this.#times = { idleMs: settings.options.streamingConnectionIdleTimeout };
  }

  /** Starts a command in a container. @throws StatusError */
  async exec(request: UpgradeRequest, path: ContainerPath, query: URLSearchParams): Promise<void> {
    const selection = selectionOf(query);
    const containerId = this.#running(path);
    const command = query.getAll('command');
    await this.#serve(request, selection, (runtime) => runtime.exec({ containerId, command, ...selection }));
  }

  /** Attaches to a container. @throws StatusError */
  async attach(request: UpgradeRequest, path: ContainerPath, query: URLSearchParams): Promise<void> {
    const pod = podOf(this.settings.agent, path);
    const containerId = runningId(pod, path.container);
    const selection = selectionOf(query);
    await this.#serve(request, selection, (runtime) => runtime.attach({ containerId, ...selection }));
  }

  /** Forwards ports of a pod. @throws StatusError */
  async portForward(
    request: UpgradeRequest,
    path: Omit<ContainerPath, 'container'>,
    query: URLSearchParams,
  ): Promise<void> {
    const ports = isWebSocketRequest(request.req) ? portsOf(query) : [];
    const pod = podOf(this.settings.agent, path);
    const uid = pod.metadata?.uid ?? '';
    const { runtime } = this.settings;
    const sandboxes = await runtime.listSandboxes({ state: 'ready' });
    const sandbox = sandboxes.find(({ metadata }) => metadata.uid === uid);
    if (!sandbox) throw new StatusError('NotFound', 'pod not found');
    const endpoint = await runtime.portForward({ sandboxId: sandbox.id, ports }).catch(rejected);
    if (endpoint.kind === 'url') return passUpgrade(request, endpoint.url, this.#times.idleMs);
    const fullName = `${path.pod}_${path.namespace}`;
    await servePorts(request, { connections: endpoint.connections, fullName, uid }, ports, this.#times);
  }

  /** Runs a command to its end. Returns its output. @throws StatusError */
  async run(path: ContainerPath, query: URLSearchParams): Promise<Buffer> {
    const containerId = this.#running(path);
    const command = (query.get('cmd') ?? '').split(' ').filter(Boolean);
    const { runtime } = this.settings;
    const { stdout, stderr, exitCode } = await runtime.execSync({ containerId, command, timeout: 0 }).catch(rejected);
    const output = Buffer.concat([stdout, stderr]);
    if (exitCode !== 0)
      throw new StatusError('InternalError', `command '${command.join(' ')}' exited with ${exitCode}: ${output}`);
    return output;
  }

  #running(path: ContainerPath): string {
    return runningId(podOf(this.settings.agent, path), path.container);
  }

  async #serve(
    request: UpgradeRequest,
    selection: StreamSelection,
    open: (runtime: Runtime) => Promise<StreamEndpoint>,
  ): Promise<void> {
    const endpoint = await open(this.settings.runtime).catch(rejected);
    if (endpoint.kind === 'url') return passUpgrade(request, endpoint.url, this.#times.idleMs);
    await serveCommand(request, selection, endpoint.streams, this.#times);
  }
}

/** @throws StatusError 400 where no stream is asked for */
function selectionOf(query: URLSearchParams): StreamSelection {
  const [tty, stdin, stdout] = ['tty', 'input', 'output'].map((name) => query.get(name) === '1');
  const stderr = query.get('error') === '1' && !tty;
  if (!stdin && !stdout && !stderr) throw badRequest('you must specify at least 1 of stdin, stdout, stderr');
  return { stdin: stdin === true, stdout: stdout === true, stderr, tty: tty === true };
}

/** @throws StatusError 400 */
function portsOf(query: URLSearchParams): number[] {
  const texts = query.getAll('port').flatMap((text) => text.split(','));
  if (texts.length === 0) throw badRequest('query parameter "port" is required');
  return texts.map((text) => {
    const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (port < 1 || port > 65_535) throw badRequest(`unable to parse ${JSON.stringify(text)} as a port`);
    return port;
  });
}

/** @throws StatusError with the words of the runtime */
function rejected(error: unknown): never {
  if (!(error instanceof RuntimeError)) throw error;
  if (isNotFound(error)) throw new StatusError('NotFound', error.message);
  throw new StatusError(error.code === 'ResourceExhausted' ? 'TooManyRequests' : 'InternalError', error.message);
}
