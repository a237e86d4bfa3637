import type { AgentServerSettings } from '../agent-server-settings.js';
import { fsUsage, NodeMeter } from './node-usage.js';
import { containerMetrics, probeMetrics, resourceMetrics } from './resource-metrics.js';
import { type SummarySource, summaryOf } from './summary.js';

/** Statistics of the node and its pods, as they are measured when somebody asks. */
export class Statistics {
  readonly #meter: NodeMeter;

  constructor(private readonly settings: Pick<AgentServerSettings, 'agent' | 'runtime' | 'logger' | 'clock'>) {
    this.#meter = new NodeMeter(settings.clock);
  }

  /** Answer of `/stats/summary`. @param isShort of CPU and memory alone */
  async summary(isShort: boolean): Promise<object> {
    const { agent, runtime } = this.settings;
    const [node, usages] = await Promise.all([this.#meter.usage(), runtime.listSandboxStatistics()]);
    const known = new Map([...agent.pods()].map((pod) => [pod.metadata?.uid ?? '', pod]));
    const pods = usages.map(async (usage) => {
      const pod = known.get(usage.metadata.uid);
      const volumes = pod && !isShort ? await agent.volumes?.(pod) : undefined;
      return { usage, ...(pod && { pod }), ...(volumes && { volumes }) };
    });
    const files = isShort ? {} : await this.#files();
    return summaryOf({ nodeName: agent.nodeName, node, ...files, pods: await Promise.all(pods) }, isShort);
  }

  /** Answer of `/metrics/resource`. */
  async resource(): Promise<string> {
    const { agent, runtime, logger } = this.settings;
    try {
      const [node, usages] = await Promise.all([this.#meter.usage(), runtime.listSandboxStatistics()]);
      return resourceMetrics(node, usages, [...agent.pods()]);
    } catch (error) {
      logger.warn('statistics cannot be had', { err: String(error) });
      return resourceMetrics(undefined, [], []);
    }
  }

  /** Answer of `/metrics/cadvisor`. */
  async cadvisor(): Promise<string> {
    return containerMetrics(await this.settings.runtime.listSandboxStatistics());
  }

  /** Answer of `/metrics/probes`. */
  probes(): string {
    return probeMetrics(this.settings.agent.probes?.() ?? []);
  }

  async #files(): Promise<Pick<SummarySource, 'fs' | 'images'>> {
    const { runtime, clock } = this.settings;
    const [used] = await runtime.imageFilesystems();
    const fs = await fsUsage('/', clock);
    const images = used && { fs: await fsUsage(used.mountpoint, clock).catch(() => fs), used };
    return { fs, ...(images && { images }) };
  }
}
