import type { AdmittedOperation, Attributes, Target } from './attributes.js';
import type { AdmissionPlugin } from './plugin.js';
import type { Reinvocation } from './reinvocation.js';

/** Receives how long all plugins of a step took together, milliseconds, and whether one of them refused. */
export type StepObserver = (
  step: AdmissionStep,
  operation: AdmittedOperation,
  milliseconds: number,
  rejected: boolean,
) => void;

/** A step of admission: `admit` may change the object, `validate` only accepts or refuses it. */
export type AdmissionStep = 'admit' | 'validate';

/** The plugins that are called for one write: those that handle its target. */
export interface SelectedPlugins {
  /** Plugins that may change the object, in order. */
  readonly mutating: readonly AdmissionPlugin[];
  /** Plugins that validate the object as it will be written, in order. */
  readonly validating: readonly AdmissionPlugin[];
  /** Whether one of them may call out. */
  readonly callsOut: boolean;
  /** Whether every validating plugin leaves its input unchanged (`readsOnly`). */
  readonly readOnly: boolean;
  /** Receives the duration of each step; undefined without an observer. */
  readonly observe?: StepObserver | undefined;
}

const NONE: SelectedPlugins = { mutating: [], validating: [], callsOut: false, readOnly: true };

/** The admission plugins of a process. */
export class Admission {
  constructor(
    private readonly plugins: readonly AdmissionPlugin[],
    private readonly observe?: StepObserver,
  ) {}

  /**
   * Selects the plugins for a write. Calls `handles` of each plugin, so that a request does it once for each operation.
   * @param target called only if there are plugins
   */
  select(target: () => Target): SelectedPlugins {
    if (this.plugins.length === 0) return NONE;
    const about = target();
    const isConnection = about.operation === 'CONNECT';
    const asked = this.plugins.filter(
      (plugin) => (!isConnection || plugin.admitsConnections === true) && plugin.handles(about),
    );
    if (asked.length === 0) return NONE;
    const validating = asked.filter(({ validate }) => validate !== undefined);
    return {
      mutating: asked.filter(({ admit }) => admit !== undefined),
      validating,
      readOnly: validating.every(({ readsOnly }) => readsOnly === true),
      callsOut: asked.some(({ callsOut }) => (typeof callsOut === 'function' ? callsOut(about) : callsOut === true)),
      observe: this.observe,
    };
  }
}

/**
 * Calls the mutating plugins one after another, and all of them once more if one asked for reinvocation. Returns a
 * promise only if a plugin does.
 * @throws the error of the first plugin that refuses
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

/**
 * Calls the validating plugins one after another with the complete object. Returns a promise only if a plugin does.
 * @throws the error of the first plugin that refuses
 */
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
  step: AdmissionStep,
  { operation }: Target,
  observe: StepObserver | undefined,
  work: () => void | Promise<void>,
): void | Promise<void> {
  if (!observe) return work();
  return timed(work, (milliseconds, rejected) => observe(step, operation, milliseconds, rejected));
}

/** Runs work, and reports how long it took, milliseconds, and whether it failed. */
export function timed(
  work: () => void | Promise<void>,
  report: (milliseconds: number, failed: boolean) => void,
): void | Promise<void> {
  const began = performance.now();
  const ended = (failed: boolean) => report(performance.now() - began, failed);
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
