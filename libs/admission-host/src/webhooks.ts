import type { ApiDeps } from '@orch/handlers';
import { type ConversionCalls, conversionMetrics, KeptConversions, refusedObjects } from '@orch/resources';
import type { Logger, Metrics } from '@orch/runtime';
import type { Pair } from '@orch/serving';
import { WebhookClients, type WebhookSettings } from '@orch/webhooks';
import { AdmissionWebhooks, addressesOutside } from './admission-webhooks.js';
import { readServiceMap, serviceResolver } from './service-resolver.js';
import { observeWebhooks, webhookMetrics } from './webhook-metrics.js';
import type { WebhookOptions } from './webhook-options.js';

/** Whether Services are reached at an address behind them (`--enable-aggregator-routing`). */
interface WebhookRouting {
  readonly enableAggregatorRouting: boolean;
}

interface WebhooksSettings {
  readonly deps: ApiDeps;
  readonly serving: WebhookOptions &
    WebhookRouting & {
      readonly maxRequestBytes: number;
      readonly maxRequestValues: number;
      readonly maxOwnedValues: number;
    };
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Returns the client certificate for webhooks that request one; undefined for none. */
  readonly shown: () => Pair | undefined;
}

/** Owns the connections of this process to webhooks. */
export class Webhooks {
  /** Clients, limits, cache and metrics for the conversion webhooks of custom resources. */
  readonly conversions: ConversionCalls;
  readonly #clients: WebhookClients;

  constructor({ deps, serving, metrics, logger, shown }: WebhooksSettings) {
    this.#clients = new WebhookClients({ ...webhookSettings(deps, serving), credentials: shown });
    this.conversions = {
      clients: this.#clients,
      limits: {
        timeoutMs: serving.conversionWebhookTimeout,
        maxObjects: serving.conversionWebhookMaxObjects,
        maxBytes: serving.conversionWebhookMaxBytes,
        maxHeldBytes: serving.conversionWebhookMaxHeldBytes,
        maxObjectBytes: 2 * serving.maxRequestBytes,
        // Objects come back with their managedFields.
        maxValues: serving.maxRequestValues + serving.maxOwnedValues,
      },
      kept: new KeptConversions(serving.conversionWebhookCacheBytes),
      observe: conversionMetrics(metrics),
      onRefused: refusedObjects(metrics, (message, fields) => logger.warn(message, fields)),
    };
  }

  /** Aborts the calls in flight and closes the connections. */
  close(): Promise<void> {
    return this.#clients.close();
  }
}

/**
 * Derives from the options how webhooks of all kinds are reached.
 * @throws Error for invalid options, and when Services or their endpoints are not served
 */
export function webhookSettings(deps: ApiDeps, serving: WebhookOptions & WebhookRouting): WebhookSettings {
  const find = (resource: string) => {
    const found = deps.served.current.ofResource('', resource);
    if (!found) throw new Error(`${resource} are not served`);
    return found;
  };
  const overrides = readServiceMap(serving.serviceResolver);
  const toEndpoints = serving.enableAggregatorRouting;
  const allowsAddress = addressesOutside(serving.webhookDenyCidrs);
  return {
    addressOf: serviceResolver({ reader: deps.reader, find, toEndpoints, overrides }),
    maxAnswerBytes: serving.webhookMaxAnswerBytes,
    ...(allowsAddress && { allowsAddress }),
  };
}

/** Creates what the plugins that call admission webhooks share, with its metrics. */
export function admissionWebhooks(serving: WebhookOptions, metrics: Metrics): AdmissionWebhooks {
  const webhooks = new AdmissionWebhooks({
    observer: webhookMetrics(metrics),
    mostHangingCalls: serving.admissionWebhookMaxHangingCalls,
    exempt: {
      namespaces: new Set(serving.admissionWebhookExemptNamespaces),
      groups: new Set(serving.admissionWebhookExemptGroups),
    },
  });
  observeWebhooks(metrics, () => webhooks.states());
  return webhooks;
}
