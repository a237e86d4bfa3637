import { join } from 'node:path';
import type { NodeAgentOptions } from '@orch/agent';
import { CriRuntime, ProcessRuntime, type Runtime } from '@orch/container-runtime';
import type { Logger } from '@orch/runtime';

/** Opens the runtime that `--container-runtime-endpoint` names. @throws Error where a program that it needs is missing */
export async function openRuntime(options: NodeAgentOptions, logger: Logger): Promise<Runtime> {
  const { containerRuntimeEndpoint: endpoint, runtimeRequestTimeout: requestTimeout } = options;
  if (!endpoint.startsWith('process:')) return new CriRuntime({ socket: socketOf(endpoint), requestTimeout });
  const { rootDir, processImages, processIsolation } = options;
  return ProcessRuntime.open({
    folder: join(rootDir, 'processes'),
    ...(processImages !== undefined && { images: processImages }),
    isolation: processIsolation,
    onError: (error) => logger.warn('an image cannot be used', { err: error.message }),
  });
}

const socketOf = (endpoint: string): string => endpoint.replace(/^unix:\/\//, '');
