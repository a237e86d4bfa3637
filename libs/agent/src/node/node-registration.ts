import { isDeepStrictEqual } from 'node:util';
import { type Client, hasReason } from '@orch/client';
import type { ApiObject } from '@orch/machinery';
import { type Clock, type Logger, sleep } from '@orch/runtime';
import { Backoff } from '@orch/runtime/work';
import type { Node } from '@orch/schema/types/core/v1';

/** Resource of nodes. */
export const NODES = { group: '', version: 'v1', resource: 'nodes' };

/** Dependencies of {@link registerNode}. */
interface RegistrationSettings {
  /** Client of the API. */
  readonly client: Pick<Client, 'create' | 'get' | 'patch'>;
  /** Labels that a node that is there already is given. */
  readonly defaultLabels: Readonly<Record<string, string>>;
  /** Annotation by which a controller attaches volumes. */
  readonly attachAnnotation: string;
  /** Clock of the waits. */
  readonly clock: Clock;
  /** Logs attempts that fail. */
  readonly logger: Logger;
  /** Ends the attempts. */
  readonly signal: AbortSignal;
}

/** First and longest wait between attempts, ms. */
const RETRY = { firstMs: 200, longestMs: 7_000 };

/**
 * Creates the node, or takes over one that is there already: it keeps what others have given it, and gets the agent's
 * labels. Tried until it succeeds.
 * @returns the node as the API has it; undefined if the signal has aborted
 */
export async function registerNode(node: Node, settings: RegistrationSettings): Promise<Node | undefined> {
  const { clock, logger, signal } = settings;
  const backoff = new Backoff(RETRY);
  while (!signal.aborted) {
    try {
      return await attempt(node as Node & ApiObject, settings);
    } catch (error) {
      logger.warn('the node cannot be registered', { err: String(error) });
      await sleep(clock, backoff.next(), signal);
    }
  }
  return undefined;
}

async function attempt(node: Node & ApiObject, settings: RegistrationSettings): Promise<Node> {
  const { client, logger } = settings;
  try {
    const created = await client.create(NODES, node);
    logger.info('the node was registered', { node: node.metadata?.name });
    return created;
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
  }
  const name = node.metadata?.name ?? '';
  const known = await client.get<Node & ApiObject>(NODES, name);
  const patch = takeover(known, node, settings);
  if (!patch) return known;
  return client.patch<Node & ApiObject>(NODES, name, 'strategic', patch);
}

/** Returns what a node that is there lacks of the agent's labels and annotation; undefined if it lacks nothing. */
function takeover(known: Node, node: Node, { defaultLabels, attachAnnotation }: RegistrationSettings) {
  const labels = Object.fromEntries(
    Object.entries(defaultLabels).filter(([key, value]) => known.metadata?.labels?.[key] !== value),
  );
  const before = known.metadata?.annotations?.[attachAnnotation];
  const wanted = node.metadata?.annotations?.[attachAnnotation];
  const annotations = isDeepStrictEqual(before, wanted) ? {} : { [attachAnnotation]: wanted ?? null };
  if (Object.keys(labels).length + Object.keys(annotations).length === 0) return undefined;
  return { metadata: { labels, annotations } };
}
