import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl, type KubectlRelease } from './kubectl.js';

/** The environment of the tests of one `describe`; only they may use it. */
export interface KubectlStage {
  readonly server: Standalone;
  readonly kubectl: Kubectl;
  /** A folder for files. */
  readonly dir: string;
  /** Standard output of a run in the namespace `app`, that must succeed. */
  app(...args: readonly string[]): Promise<string>;
}

/** Starts a server with a namespace `app` before the tests of the surrounding `describe`, and stops it after them. */
export function kubectlStage(release: KubectlRelease): KubectlStage {
  const stage = {} as { server: Standalone; kubectl: Kubectl; dir: string };
  beforeAll(async () => {
    const file = findKubectl(release);
    stage.dir = mkdtempSync(join(tmpdir(), 'kubectl-'));
    stage.server = await startStandalone({ naming: 'kubernetes' });
    stage.kubectl = new Kubectl(file, stage.server.kubeconfig);
    await stage.kubectl.ok(['create', 'namespace', 'app']);
  }, KUBECTL_BUILD_MS);
  afterAll(async () => {
    await stage.server?.stop();
    if (stage.dir) rmSync(stage.dir, { recursive: true });
  });
  return Object.assign(stage, { app: (...args: readonly string[]) => stage.kubectl.ok(['-n', 'app', ...args]) });
}
