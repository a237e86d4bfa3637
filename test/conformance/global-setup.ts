import type { TestProject } from 'vitest/node';
import { startStandalone } from '../support/standalone.js';
import './provided-context.js';

/** Starts one server a naming profile for the whole suite; every test works in a namespace of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [orch, kubernetes] = await Promise.all([
    startStandalone({ naming: 'orch' }),
    startStandalone({ naming: 'kubernetes' }),
  ]);
  const handed = ({ url, ca, token }: typeof orch) => ({ url, ca, token });
  project.provide('servers', { orch: handed(orch), kubernetes: handed(kubernetes) });
  return async () => {
    await Promise.all([orch.stop(), kubernetes.stop()]);
  };
}
