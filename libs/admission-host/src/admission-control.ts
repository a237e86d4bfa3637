import type { AuthorizationOptions } from '@orch/access';
import {
  type AdmissionPlugin,
  type AdmissionStep,
  type BuiltPlugin,
  type PluginContext,
  type PluginSelection,
  selectionProblems,
  selectPlugins,
  timed,
} from '@orch/admission';
import type { Logger } from '@orch/runtime';
import { readPluginConfigurations } from './admission-configuration.js';
import type { AdmissionObserver } from './admission-metrics.js';
import type { AdmissionOptions } from './admission-options.js';
import { type KnownObjectsSource, type PluginObjects, ProcessObjects } from './known-objects.js';
import type { PluginServices } from './plugin-services.js';
import { ServedParams } from './served-params.js';

interface AdmissionControlSettings extends Pick<PluginContext, 'names' | 'isEnabled' | 'webhooks'> {
  /** Dependencies of admission policies other than their parameters. */
  readonly policies: Omit<PluginContext['policies'], 'params'>;
  readonly options: AdmissionOptions & Pick<AuthorizationOptions, 'authorizationMode'>;
  readonly observer?: AdmissionObserver;
  readonly services: PluginServices;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The admission plugins of one process and their dependencies. */
export class AdmissionControl {
  /** Enabled plugins, in the order in which they are called. */
  readonly plugins: readonly AdmissionPlugin[];
  readonly #params = new ServedParams();

  private constructor(
    selected: readonly BuiltPlugin[],
    configurations: ReadonlyMap<string, unknown>,
    { names, isEnabled, webhooks, policies, options, observer, services }: AdmissionControlSettings,
    /** Objects that plugins look up. Other parts of the process may follow objects through it until it is started. */
    readonly objects = new ProcessObjects(),
  ) {
    const settings = {
      notReadyTolerationSeconds: options.defaultNotReadyTolerationSeconds,
      unreachableTolerationSeconds: options.defaultUnreachableTolerationSeconds,
      authorizerCallsOut: options.authorizationMode.includes('Webhook'),
    };
    this.plugins = selected.map(({ name, make }) => {
      const known = objects.forPlugin();
      const context = {
        ...{ names, isEnabled, webhooks, settings, objects: known.objects, ownWrites: objects.ownWrites },
        ...services,
        policies: { ...policies, params: this.#params },
        configuration: configurations.get(name),
      };
      return asked(
        made(name, () => make(context)),
        known,
        observer,
      );
    });
  }

  /**
   * Creates and starts the plugins that the options enable.
   * @throws Error for unknown plugins, for faults in their configuration, and for plugins that fail to start
   */
  static async open(settings: AdmissionControlSettings): Promise<AdmissionControl> {
    const selection = checkAdmission(settings.options);
    const selected = selectPlugins(selection, settings.names.profile);
    for (const { name, deprecated } of selected) if (deprecated === true) settings.logger.warn(deprecation(name));
    const isSelected = (name: string) => selected.some((plugin) => plugin.name === name);
    const configurations = await readPluginConfigurations(settings.options.admissionControlConfigFile, isSelected);
    const control = new AdmissionControl(selected, configurations, settings);
    try {
      for (const plugin of control.plugins) await started(plugin);
      return control;
    } catch (error) {
      await control.stop();
      throw error;
    }
  }

  /** Loads all objects that plugins look up. Nothing may be written before it resolves. */
  async start(source: KnownObjectsSource): Promise<void> {
    this.#params.start(source);
    await this.objects.start(source);
  }

  /** Stops following objects, then closes every plugin and resolves once all are closed. */
  async stop(): Promise<void> {
    this.#params.stop();
    this.objects.stop();
    await Promise.all(this.plugins.map((plugin) => plugin.close?.()));
  }
}

const deprecation = (name: string): string =>
  `${name} admission controller is deprecated. Please remove this controller from your configuration files and scripts.`;

/**
 * Reads from the options which plugins are enabled and disabled.
 * @throws Error for unknown plugins, and for plugins that are both enabled and disabled
 */
export function checkAdmission(options: AdmissionOptions): PluginSelection {
  const selection = { enable: options.enableAdmissionPlugins, disable: options.disableAdmissionPlugins };
  const problems = selectionProblems(selection);
  if (problems.length > 0) throw new Error(problems.join('; '));
  return selection;
}

function made(name: string, make: () => AdmissionPlugin): AdmissionPlugin {
  try {
    return make();
  } catch (cause) {
    throw notMade(name, cause);
  }
}

async function started({ name, start }: AdmissionPlugin): Promise<void> {
  try {
    await start?.();
  } catch (cause) {
    throw notMade(name, cause);
  }
}

function notMade(name: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`couldn't init admission plugin ${JSON.stringify(name)}: ${reason}`, { cause });
}

/** Wraps a plugin: it is called once the objects that it looks up are up to date, and its duration is observed. */
function asked(
  plugin: AdmissionPlugin,
  known: PluginObjects,
  observer: AdmissionObserver | undefined,
): AdmissionPlugin {
  const { name, needs = [], callsOut = false, readsOnly = false, admitsConnections = false } = plugin;
  const around = (step: AdmissionStep): AdmissionPlugin['admit'] => {
    if (!plugin[step]) return undefined;
    const observe = observer?.controller(name, step);
    return (attributes) => {
      const ask = () => {
        const wait = known.caughtUp(attributes.deadline);
        return wait ? wait.then(() => plugin[step]?.(attributes)) : plugin[step]?.(attributes);
      };
      if (!observe) return ask();
      return timed(ask, (ms, rejected) => observe(attributes.operation, ms, rejected));
    };
  };
  const [admit, validate] = [around('admit'), around('validate')];
  return {
    name,
    needs,
    callsOut,
    readsOnly,
    admitsConnections,
    handles: (target) => plugin.handles(target),
    ...(admit && { admit }),
    ...(validate && { validate }),
    start: async () => plugin.start?.(),
    close: async () => plugin.close?.(),
  };
}
