import type { ContainerFilter, ListedContainer } from './containers.js';
import type { ListedSandbox, SandboxFilter } from './sandboxes.js';
import type { ContainerStatistics, ContainerStatisticsFilter } from './statistics.js';
import type { StringMap } from './string-map.js';

const hasLabels = (labels: StringMap, required: StringMap = {}): boolean =>
  Object.entries(required).every(([name, value]) => labels[name] === value);

/** Returns whether a sandbox fulfils all conditions. */
export const selectsSandbox = ({ id = '', state, labels }: SandboxFilter, sandbox: ListedSandbox): boolean =>
  sandbox.id.startsWith(id) && (state ?? sandbox.state) === sandbox.state && hasLabels(sandbox.labels, labels);

/** Returns whether a container fulfils all conditions. */
export const selectsContainer = (
  { id = '', state, sandboxId, labels }: ContainerFilter,
  container: ListedContainer,
): boolean =>
  container.id.startsWith(id) &&
  (state ?? container.state) === container.state &&
  (sandboxId ?? container.sandboxId) === container.sandboxId &&
  hasLabels(container.labels, labels);

/** Returns whether a sandbox's or container's usage is selected by id and labels. */
export const selectsStatistics = (
  { id = '', labels }: Omit<ContainerStatisticsFilter, 'sandboxId'>,
  usage: Pick<ContainerStatistics, 'id' | 'labels'>,
): boolean => usage.id.startsWith(id) && hasLabels(usage.labels, labels);
