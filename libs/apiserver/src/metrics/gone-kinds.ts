import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Metrics } from '@orch/runtime';
import type { TypeId } from '@orch/storage';
import type { Endpoint } from '../served/endpoint.js';
import type { ServedResources } from '../served/served-resources.js';

export interface GoneKindsSettings {
  readonly metrics: Pick<Metrics, 'forget'>;
  readonly served: Pick<ServedResources, 'current' | 'onChange'>;
  readonly clock: Clock;
  /** Forgets what else is counted by type. */
  forgetType(type: TypeId): void;
}

/** For which series of a kind are kept that is served no more, ms: what is under way is counted, and they are read once more. */
export const KEPT_MS = 120_000;

/** What series of an endpoint are known by; the endpoint itself holds schemas, and is to go at once. */
interface Labels {
  readonly type: TypeId;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
}

const labelsOf = ({ type, definition: { group, version, resource, kind } }: Endpoint): Labels => ({
  type,
  group,
  version,
  resource,
  kind,
});

/** Has metrics forget kinds that are served no more: users make and remove as many of them as they like. */
export function forgetGoneKinds(settings: GoneKindsSettings): void {
  settings.served.onChange(({ ended }) => {
    const labels = ended.map(labelsOf);
    if (labels.length === 0) return;
    settings.clock.after(KEPT_MS, () => void forgetAll(settings, labels));
  });
}

/** One after the other: to forget a kind is to look at every series. */
async function forgetAll(settings: GoneKindsSettings, labels: readonly Labels[]): Promise<void> {
  for (const each of labels) {
    forget(settings, each);
    await nextTurn();
  }
}

/** Nothing of a kind that has come back meanwhile. */
function forget({ metrics, served, forgetType }: GoneKindsSettings, labels: Labels): void {
  const { type, group, version, resource, kind } = labels;
  if (served.current.find(group, version, resource)) return;
  metrics.forget({ group, version, resource });
  metrics.forget({ group, version, kind });
  if (served.current.ofResource(group, resource)) return;
  metrics.forget({ group, resource });
  metrics.forget({ crd_name: `${resource}.${group}` });
  forgetType(type);
}
