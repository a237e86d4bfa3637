import type { Clock } from '@orch/runtime';
import type { PluginStatus } from '@orch/scheduler-plugins';
import type { SchedulerObserver } from './observer.js';

/** Measures how long the plugins of an extension point take for a pod. */
export class ExtensionTimer {
  constructor(
    private readonly observer: Pick<SchedulerObserver, 'extensionPointRan'>,
    private readonly clock: Clock,
  ) {}

  /** Does the work of an extension point. @param statusOf names its result. Default: `Success` */
  async time<T>(
    point: string,
    profile: string,
    work: () => T | Promise<T>,
    statusOf: (result: T) => PluginStatus = () => 'Success',
  ): Promise<T> {
    const begun = this.clock.now();
    let status: PluginStatus = 'Error';
    try {
      const result = await work();
      status = statusOf(result);
      return result;
    } finally {
      this.observer.extensionPointRan(point, status, profile, (this.clock.now() - begun) / 1_000);
    }
  }
}
