import type { ChangeBus } from './feed.js';
import type { JetStreamBusOptions } from './jetstream-bus.js';

/** Opens a bus on NATS JetStream. The client of NATS is loaded here: a process without NATS starts faster. */
export async function openJetStreamBus(options: JetStreamBusOptions): Promise<ChangeBus> {
  const { jetStreamBus } = await import('./jetstream-bus.js');
  return jetStreamBus(options);
}
