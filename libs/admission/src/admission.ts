import type { Attributes, Operation, Target } from './attributes.js';
import type { AdmissionPlugin } from './plugin.js';
import type { Reinvocation } from './reinvocation.js';

/** Hears how long all plugins of a step took together, and whether one refused. */
export type StepObserver = (step: Step, operation: Operation, milliseconds: number, rejected: boolean) => void;

/** What plugins do: change an object, or judge it. */
export type Step = 'admit' | 'validate';

/** The plugins that are called for one write: those that handle its target. */
export interface SelectedPlugins {
  /** Those that may change the object, in order. */
  readonly mutating: readonly AdmissionPlugin[];
  /** Those that judge it as it will be, in order. */
  readonly validating: readonly AdmissionPlugin[];
  /** Whether one of them may call out. */
  readonly callsOut: boolean;
  /** Whether none of those that judge changes what it is given. */
  readonly lookOnly: boolean;
  /** Hears how long each step takes; undefined for nobody. */
  readonly observe?: StepObserver | undefined;
}

const NONE: SelectedPlugins = { mutating: [], validating: [], callsOut: false, lookOnly: true };

/** The admission plugins of a process. */
export class Admission {
  constructor(
    private readonly plugins: readonly AdmissionPlugin[],
    private readonly observe?: StepObserver,
  ) {}

  /**
   * Selects the plugins for a write; asks each of them, so that a request does it once for each operation.
   * @param target called only where there are plugins
   */
  select(target: () => Target): SelectedPlugins {
    if (this.plugins.length === 0) return NONE;
    const about = target();
    const asked = this.plugins.filter((plugin) => plugin.handles(about));
    if (asked.length === 0) return NONE;
    const validating = asked.filter(({ validate }) => validate !== undefined);
    return {
      mutating: asked.filter(({ admit }) => admit !== undefined),
      validating,
      lookOnly: validating.every(({ looksOnly }) => looksOnly === true),
      callsOut: asked.some(({ callsOut }) => (typeof callsOut === 'function' ? callsOut(about) : callsOut === true)),
      observe: this.observe,
    };
  }
}

/**
 * Asks those who may change an object, one after another, and once more where one of them asked for that. Returns a promise only where
 * one of them does.
 * @throws what the first of them throws that refuses
 */
export function admit(
  { mutating, observe }: SelectedPlugins,
  attributes: Attributes,
  reinvocation: Reinvocation,
): void | Promise<void> {
  const round = () => inTurn(mutating, (plugin) => plugin.admit?.(attributes));
  return observed('admit', attributes, observe, () => {
    const first = round();
    if (first) return first.then(() => (reinvocation.begin() ? round() : undefined));
    return reinvocation.begin() ? round() : undefined;
  });
}

/** As {@link admit}, of an object that is complete. */
export function validate({ validating, observe }: SelectedPlugins, attributes: Attributes): void | Promise<void> {
  return observed('validate', attributes, observe, () => inTurn(validating, (plugin) => plugin.validate?.(attributes)));
}

function inTurn(
  plugins: readonly AdmissionPlugin[],
  ask: (plugin: AdmissionPlugin) => void | Promise<void>,
  from = 0,
): void | Promise<void> {
  for (let at = from; at < plugins.length; at++) {
    const wait = ask(plugins[at] as AdmissionPlugin);
    if (wait) return wait.then(() => inTurn(plugins, ask, at + 1));
  }
}

function observed(
  step: Step,
  { operation }: Target,
  observe: StepObserver | undefined,
  work: () => void | Promise<void>,
): void | Promise<void> {
  if (!observe) return work();
  return timed(work, (milliseconds, rejected) => observe(step, operation, milliseconds, rejected));
}

/** Does work, and tells how long it took and whether it failed. */
export function timed(
  work: () => void | Promise<void>,
  tell: (milliseconds: number, failed: boolean) => void,
): void | Promise<void> {
  const began = performance.now();
  const ended = (failed: boolean) => tell(performance.now() - began, failed);
  let wait: void | Promise<void>;
  try {
    wait = work();
  } catch (error) {
    ended(true);
    throw error;
  }
  if (!wait) return ended(false);
  return wait.then(
    () => ended(false),
    (error: unknown) => {
      ended(true);
      throw error;
    },
  );
}
