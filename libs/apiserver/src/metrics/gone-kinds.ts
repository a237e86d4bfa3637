import type { Endpoint, ServedResources } from '@orch/resources';
import type { Clock, Metrics } from '@orch/runtime';
import { inSlices } from '@orch/runtime/work';
import type { TypeId } from '@orch/storage';

interface GoneKindsSettings {
  readonly metrics: Pick<Metrics, 'forgetting'>;
  readonly served: Pick<ServedResources, 'current' | 'onChange'>;
  readonly clock: Clock;
  /** Forgets what else is counted by type. */
  forgetType(type: TypeId): void;
}

/**
 * Time for which series of a removed kind are kept, ms: requests in progress are still counted, and the series are
 * scraped once more.
 */
export const KEPT_MS = 120_000;
/**
 * Time after that for which removed kinds are gathered, ms: forgetting one kind takes a pass over all series, and so
 * does forgetting thousands.
 */
export const GATHER_MS = 1_000;
/** Kinds that are forgotten in one look: more would make its steps long. */
const MOST_AT_ONCE = 100;

/** Labels of an endpoint's series, kept instead of the endpoint: that holds schemas and is to be freed at once. */
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
  const { served, clock } = settings;
  let due: Labels[] = [];
  const forgetDue = (): void => {
    const gone = due;
    due = [];
    void forgetInParts(settings, gone);
  };
  served.onChange(({ ended }) => {
    const labels = ended.map(labelsOf);
    if (labels.length === 0) return;
    clock.after(KEPT_MS, () => {
      if (due.length === 0) clock.after(GATHER_MS, forgetDue);
      due.push(...labels);
    });
  });
}

async function forgetInParts(settings: GoneKindsSettings, labels: readonly Labels[]): Promise<void> {
  for (let at = 0; at < labels.length; at += MOST_AT_ONCE)
    await forgetAll(settings, labels.slice(at, at + MOST_AT_ONCE));
}

/**
 * Forgets kinds in one pass over all series, which yields to other work. A kind that is served again keeps its series.
 */
async function forgetAll({ metrics, served, forgetType }: GoneKindsSettings, labels: readonly Labels[]): Promise<void> {
  const { current } = served;
  const gone = labels.filter(({ group, version, resource }) => !current.find(group, version, resource));
  const goneWhole = gone.filter(({ group, resource }) => !current.ofResource(group, resource));
  await inSlices(
    metrics.forgetting([
      ...gone.map(({ group, version, resource }) => ({ group, version, resource })),
      ...gone.map(({ group, version, kind }) => ({ group, version, kind })),
      ...goneWhole.map(({ group, resource }) => ({ group, resource })),
      ...goneWhole.map(({ group, resource }) => ({ crd_name: `${resource}.${group}` })),
    ]),
  );
  for (const { type } of goneWhole) forgetType(type);
}
