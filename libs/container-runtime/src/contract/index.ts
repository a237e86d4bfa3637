import { describe } from 'vitest';
import { describeCommands } from './commands.js';
import { describeContainers } from './containers.js';
import { describeImages } from './images.js';
import { describeLogs } from './logs.js';
import { type MakeRuntime, Rig, type RuntimeTraits } from './rig.js';
import { describeSandboxes } from './sandboxes.js';
import { describeSettings } from './settings.js';

export { COMMANDS, type MakeRuntime, type RuntimeTraits, type RuntimeUnderTest } from './rig.js';

/** Describes what every runtime does. It is made once for all tests. */
export function describeRuntime(name: string, make: MakeRuntime, traits: RuntimeTraits): void {
  describe(name, () => {
    const rig = new Rig(make, traits);
    for (const part of [describeImages, describeSandboxes, describeContainers, describeLogs, describeCommands])
      part(rig);
    if (traits.isolates) describeSettings(rig);
  });
}
