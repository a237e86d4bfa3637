import type { Attributes, Target } from './attributes.js';
import type { AdmissionPlugin } from './plugin.js';

/** The plugins that have something to say about one write. */
export interface Judges {
  /** Those that may change the object, in order. */
  readonly mutating: readonly AdmissionPlugin[];
  /** Those that judge it as it will be, in order. */
  readonly validating: readonly AdmissionPlugin[];
  /** Whether one of them may call out. */
  readonly callsOut: boolean;
}

const NOBODY: Judges = { mutating: [], validating: [], callsOut: false };

/** Who is asked about a write. */
export class Admission {
  constructor(private readonly plugins: readonly AdmissionPlugin[]) {}

  /** @param target made only when there is anybody to ask */
  judgesOf(target: () => Target): Judges {
    if (this.plugins.length === 0) return NOBODY;
    const about = target();
    const asked = this.plugins.filter((plugin) => plugin.handles(about));
    if (asked.length === 0) return NOBODY;
    return {
      mutating: asked.filter(({ admit }) => admit !== undefined),
      validating: asked.filter(({ validate }) => validate !== undefined),
      callsOut: asked.some(({ callsOut }) => (typeof callsOut === 'function' ? callsOut(about) : callsOut === true)),
    };
  }
}

/** Asks one after another. @throws what the first of them throws that refuses */
export async function admit(plugins: readonly AdmissionPlugin[], attributes: Attributes): Promise<void> {
  for (const plugin of plugins) await plugin.admit?.(attributes);
}

/** As {@link admit}, of an object that is complete. */
export async function validate(plugins: readonly AdmissionPlugin[], attributes: Attributes): Promise<void> {
  for (const plugin of plugins) await plugin.validate?.(attributes);
}
