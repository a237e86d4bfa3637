import {
  type AdmissionPlugin,
  type BuiltPlugin,
  type PluginContext,
  type PluginSelection,
  type Step,
  selectionProblems,
  selectPlugins,
  timed,
} from '@orch/admission';
import type { AdmissionObserver } from '../metrics/admission-metrics.js';
import { readPluginConfigurations } from './admission-configuration.js';
import type { AdmissionOptions } from './admission-options.js';
import { type KnownObjectsSource, type PluginObjects, ProcessObjects } from './known-objects.js';

export interface AdmissionControlSettings extends Pick<PluginContext, 'names' | 'isEnabled'> {
  readonly options: AdmissionOptions;
  readonly observer?: AdmissionObserver;
}

/** The admission plugins of one process, and what they look up. */
export class AdmissionControl {
  /** Those that are on, in the order in which they are asked. */
  readonly plugins: readonly AdmissionPlugin[];

  private constructor(
    selected: readonly BuiltPlugin[],
    configurations: ReadonlyMap<string, unknown>,
    { names, isEnabled, observer }: AdmissionControlSettings,
    private readonly objects = new ProcessObjects(),
  ) {
    this.plugins = selected.map(({ name, make }) => {
      const known = objects.forPlugin();
      const context = { names, isEnabled, objects: known.objects, configuration: configurations.get(name) };
      return asked(
        made(name, () => make(context)),
        known,
        observer,
      );
    });
  }

  /** Makes the plugins that options name. @throws Error for unknown ones, and what is wrong with what they are configured with */
  static async open(settings: AdmissionControlSettings): Promise<AdmissionControl> {
    const selection = checkAdmission(settings.options);
    const selected = selectPlugins(selection);
    const isAsked = (name: string) => selected.some((plugin) => plugin.name === name);
    const configurations = await readPluginConfigurations(settings.options.admissionControlConfigFile, isAsked);
    return new AdmissionControl(selected, configurations, settings);
  }

  /** Resolves when all is known that plugins look up: nothing may be written before. */
  start(source: KnownObjectsSource): Promise<void> {
    return this.objects.start(source);
  }

  stop(): void {
    this.objects.stop();
  }
}

/** @throws Error for plugins that there are not, and those that are to be on and off */
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
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`couldn't init admission plugin ${JSON.stringify(name)}: ${reason}`, { cause });
  }
}

/** A plugin that is asked once what it looks up is known, and of which is told how long it took. */
function asked(
  plugin: AdmissionPlugin,
  known: PluginObjects,
  observer: AdmissionObserver | undefined,
): AdmissionPlugin {
  const { name, callsOut = false } = plugin;
  const around = (step: Step): AdmissionPlugin['admit'] => {
    if (!plugin[step]) return undefined;
    return (attributes) => {
      const ask = () => {
        const wait = known.caughtUp(attributes.deadline);
        return wait ? wait.then(() => plugin[step]?.(attributes)) : plugin[step]?.(attributes);
      };
      if (!observer) return ask();
      return timed(ask, (ms, rejected) => observer.controller(name, step, attributes.operation, ms, rejected));
    };
  };
  const [admit, validate] = [around('admit'), around('validate')];
  return {
    name,
    callsOut,
    handles: (target) => plugin.handles(target),
    ...(admit && { admit }),
    ...(validate && { validate }),
  };
}
