import type { AgentServerSettings } from '../agent-server-settings.js';
import { containerMetrics, probeMetrics, resourceMetrics } from './resource-metrics.js';
import { summaryOf } from './summary.js';

/** Statistics of the node and its pods, as they are measured when somebody asks. */
export class Statistics {
  constructor(private readonly settings: Pick<AgentServerSettings, 'agent' | 'runtime' | 'logger'>) {}

  /** Answer of `/stats/summary`. @param isShort of CPU and memory alone */
  async summary(isShort: boolean): Promise<object> {
    const { agent, runtime } = this.settings;
    const [node, usages] = await Promise.all([agent.usage.node(), runtime.listSandboxStatistics()]);
    const known = new Map([...agent.pods()].map((pod) => [pod.metadata?.uid ?? '', pod]));
    const pods = usages.map(async (usage) => {
      const pod = known.get(usage.metadata.uid);
      const volumes = pod && !isShort ? await agent.usage.volumes(pod) : undefined;
      return { usage, ...(pod && { pod }), ...(volumes && { volumes }) };
    });
    const [images] = isShort ? [] : await runtime.imageFilesystems();
    const source = { nodeName: agent.nodeName, node, ...(images && { images }), pods: await Promise.all(pods) };
    return summaryOf(source, isShort);
  }

  /** Answer of `/metrics/resource`. */
  async resource(): Promise<string> {
    const { agent, runtime, logger } = this.settings;
    try {
      const [node, usages] = await Promise.all([agent.usage.node(), runtime.listSandboxStatistics()]);
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
    return probeMetrics(this.settings.agent.probes());
  }
}
