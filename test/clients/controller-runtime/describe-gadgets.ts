import { describeClient } from '../describe-client.js';
import { goProgram } from '../go-program.js';

/** Caches and a reconciler over so many objects of a custom kind. */
export function describeGadgets(count: number): void {
  const program = goProgram('controller-runtime', 'release');
  describeClient({
    name: `controller-runtime 0.15.3 and ${count} objects of a custom kind`,
    checks: [
      'a definition is installed',
      'objects are made, with defaults and by rules',
      'a reconciler writes the status of each while gateways are restarted',
      'the caches of objects and of metadata are what a list is',
      'informers list once, and watch anew when a gateway goes',
    ],
    program: () => ({ command: program(), args: [`-gadgets=${count}`] }),
    servers: ['two tiers whose gateways restart'],
  });
}
