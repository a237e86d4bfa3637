import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goModule } from '../go-module.js';

/** The folder of a release of Gateway API, as `v1.1.0`. */
export const gatewayApi = (version: string): string => goModule('sigs.k8s.io/gateway-api', version);

/** Files of the definitions of one channel of a release: policies of admission and kustomizations lie beside them. */
export function definitionsIn(release: string, channel: 'standard' | 'experimental'): string[] {
  const folder = join(release, 'config', 'crd', channel);
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((file) => /^kind: CustomResourceDefinition$/m.test(readFileSync(file, 'utf8')));
}
