import type { Clock } from '@orch/runtime/clock';
import { selectsStatistics } from '../selection.js';
import type {
  ContainerStatistics,
  ContainerStatisticsFilter,
  SandboxStatistics,
  SandboxStatisticsFilter,
} from '../statistics.js';
import type { FakeContainer } from './fake-container.js';
import type { FakeSandbox } from './fake-sandbox.js';

/** Usage of the containers of one name. */
export interface FakeUsage {
  /** Bytes; 1,000,000 by default. */
  readonly workingSetBytes?: number;
  /** Nanoseconds; 1,000,000 by default. */
  readonly usageCoreNanoseconds?: number;
  /** Bytes written in the root; 4,096 by default. */
  readonly writtenBytes?: number;
}

/** Usage of the containers of the double, as set by a test. */
export class FakeStatistics {
  /** Usage by the name of a container. */
  readonly byName = new Map<string, FakeUsage>();

  constructor(
    private readonly clock: Clock,
    private readonly containers: ReadonlyMap<string, FakeContainer>,
    private readonly sandboxes: ReadonlyMap<string, FakeSandbox>,
  ) {}

  /** Returns the usage of a container. */
  of(container: FakeContainer): ContainerStatistics {
    const { id, metadata, labels, annotations } = container.listed();
    const usage = this.byName.get(metadata.name) ?? {};
    const { workingSetBytes = 1_000_000, usageCoreNanoseconds = 1_000_000, writtenBytes = 4_096 } = usage;
    const at = this.clock.wall();
    return {
      ...{ id, metadata, labels, annotations },
      cpu: { at, usageCoreNanoseconds },
      memory: { at, workingSetBytes, usageBytes: workingSetBytes, rssBytes: workingSetBytes },
      writableLayer: { at, mountpoint: '/', usedBytes: writtenBytes, inodesUsed: 1 },
    };
  }

  /** Returns the usage of the selected containers that run. */
  ofContainers(filter: ContainerStatisticsFilter): ContainerStatistics[] {
    return [...this.containers.values()]
      .filter(
        ({ state, request }) => state === 'running' && (filter.sandboxId ?? request.sandboxId) === request.sandboxId,
      )
      .map((container) => this.of(container))
      .filter((usage) => selectsStatistics(filter, usage));
  }

  /** Returns the usage of a sandbox. */
  ofSandbox(sandbox: FakeSandbox): SandboxStatistics {
    const { id, metadata, labels, annotations } = sandbox.listed();
    const containers = this.ofContainers({ sandboxId: id });
    return { id, metadata, labels, annotations, processCount: containers.length, containers };
  }

  /** Returns the usage of the selected sandboxes that are ready. */
  ofSandboxes(filter: SandboxStatisticsFilter): SandboxStatistics[] {
    return [...this.sandboxes.values()]
      .filter(({ state }) => state === 'ready')
      .map((sandbox) => this.ofSandbox(sandbox))
      .filter((usage) => selectsStatistics(filter, usage));
  }
}
