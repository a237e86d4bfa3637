import { StatusError } from '@orch/machinery';
import type { Event } from '@orch/schema/types/core/v1';
import type { Event as RecordedEvent } from '@orch/schema/types/events/v1';
import type { SharedRates } from '@orch/webhooks';
import type { Attributes } from '../../attributes.js';
import type { PluginMaker } from '../../plugin.js';
import { type EventLimit, type EventLimitType, readEventLimits } from './event-limits.js';
import { TokenBuckets } from './token-buckets.js';

/** A limit, and what it has let through. */
interface Counted {
  readonly limit: EventLimit;
  readonly buckets: TokenBuckets;
}

/**
 * Limits the rate of events: of all together, of a namespace, of a user, or of one source about one object. Events are
 * counted in whichever of their two groups they are written.
 */
export const eventRateLimit: PluginMaker = ({ names, configuration, sharedRates }) => {
  const groups = new Set(['', names.group('events.orch.io')]);
  const counted = readEventLimits(configuration).map((limit) => ({
    limit,
    buckets: new TokenBuckets(limit.rate, limit.cacheSize),
  }));
  return {
    name: 'EventRateLimit',
    readsOnly: true,
    callsOut: sharedRates !== undefined && counted.some(isShared),
    handles: ({ operation, group, kind }) => operation !== 'DELETE' && kind === 'Event' && groups.has(group),
    validate(attributes) {
      // Dry runs are not counted.
      if (attributes.options.dryRun) return undefined;
      // Each limit counts the event, even if another refuses it.
      const answers = counted.map((one) => take(one, attributes, sharedRates));
      if (!answers.some((answer) => answer instanceof Promise)) return refuse(answers as (string | undefined)[]);
      return Promise.all(answers).then(refuse);
    },
  };
};

const isShared = ({ limit }: Counted): boolean => limit.type === 'Server';

/** Takes a token of a limit. @returns the reason if there is none left */
function take(
  one: Counted,
  attributes: Attributes,
  shared: SharedRates | undefined,
): string | undefined | Promise<string | undefined> {
  const { limit, buckets } = one;
  const key = KEYS[limit.type](attributes);
  const refusalOf = (isLeft: boolean) => (isLeft ? undefined : `limit reached on type ${limit.type} for key ${key}`);
  if (!shared || !isShared(one)) return refusalOf(buckets.take(key));
  // If the shared limit is unavailable, this process applies its own.
  return shared.take(['events', limit.type], limit.rate).then((isLeft) => refusalOf(isLeft ?? buckets.take(key)));
}

function refuse(answers: readonly (string | undefined)[]): void {
  const reached = answers.filter((answer) => answer !== undefined);
  if (reached.length === 0) return;
  const text = reached.length === 1 ? reached[0] : `[${reached.join(', ')}]`;
  throw new StatusError('TooManyRequests', `Too many requests: ${text}`);
}

const KEYS: Readonly<Record<EventLimitType, (attributes: Attributes) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: ({ object = {} }) => {
    const { source, involvedObject } = object as Event;
    const { deprecatedSource, regarding } = object as RecordedEvent;
    const { component = '', host = '' } = source ?? deprecatedSource ?? {};
    const { kind = '', namespace = '', name = '', uid = '', apiVersion = '' } = involvedObject ?? regarding ?? {};
    return [component, host, kind, namespace, name, uid, apiVersion].join('');
  },
};
