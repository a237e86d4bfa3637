import { BlockList, isIPv6 } from 'node:net';
import type {
  Exemptions,
  PolicyServices,
  WebhookObserver,
  WebhookServices,
  WebhookState,
  WebhookTrust,
} from '@orch/admission';
import type { Names } from '@orch/machinery';
import { type ReviewClientSettings, ReviewClients } from './review-clients.js';
import { ServedForms, type ServedFormsParts } from './reviewed-forms.js';

const PAGE = '/debug/api/webhooks';

interface AdmissionWebhooksSettings {
  readonly observer: WebhookObserver;
  readonly mostHangingCalls: number;
  readonly exempt: Exemptions;
}

/**
 * The admission webhooks of a process: clients, states and authorities. Plugins are made before the resources are
 * served that calls depend on.
 */
export class AdmissionWebhooks {
  readonly #clients: ReviewClients[] = [];
  readonly #states: (() => readonly WebhookState[])[] = [];
  readonly #trusted: (() => readonly WebhookTrust[])[] = [];
  readonly #forms: ServedForms;
  #parts: ServedFormsParts | undefined;

  constructor(private readonly settings: AdmissionWebhooksSettings) {
    this.#forms = new ServedForms(() => {
      if (!this.#parts) throw new Error('nothing is served yet');
      return this.#parts;
    });
  }

  /** Returns the host for one plugin. @param configuration of the plugin. @throws Error for an invalid one */
  for(configuration: unknown): WebhookServices {
    const client = new ReviewClients(configuration);
    this.#clients.push(client);
    const show: WebhookServices['show'] = (states, trusted) => {
      this.#states.push(states);
      this.#trusted.push(trusted);
    };
    return { ...this.settings, forms: this.#forms, client, show };
  }

  /** Returns the host for policies, which see objects as webhooks do. */
  forPolicies(): Omit<PolicyServices, 'params'> {
    const { observer } = this.settings;
    return {
      forms: this.#forms,
      conditionFailed: (policy) => observer.conditionFailed(policy, 'validatingadmissionpolicy'),
    };
  }

  /** Reads the credentials, once plugins are made. @throws KubeconfigError for credentials that cannot be used */
  async readUsers(names: Names): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.readUsers(names)));
  }

  /** Starts the clients, before anything is written. */
  start(parts: ServedFormsParts, settings: Omit<ReviewClientSettings, 'maxValues'>): void {
    this.#parts = parts;
    const { maxValues } = parts;
    for (const client of this.#clients) client.start({ ...settings, maxValues });
  }

  /** Returns the state of each webhook, in the order in which they are called. */
  states(): readonly WebhookState[] {
    return this.#parts ? this.#states.flatMap((states) => states()) : [];
  }

  /** Pages for debugging by path: how the webhooks are. */
  get pages(): ReadonlyMap<string, () => string> {
    return new Map([[PAGE, () => `${JSON.stringify({ webhooks: this.states() }, undefined, 2)}\n`]]);
  }

  /** Returns the authorities of the webhooks, each with the configuration that holds it. */
  trusted(): { certificate: string; file: string; pem: string }[] {
    const all = this.#parts ? this.#trusted.flatMap((trusted) => trusted()) : [];
    return all.map(({ object, pem }) => ({ certificate: 'ca-bundle', file: object, pem }));
  }

  /** Aborts the calls in flight. */
  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}

/**
 * Returns a check of whether webhooks may have an address, given the networks where they may not; undefined without
 * such networks.
 * @param cidrs `10.0.0.0/8`, `fd00::/8`
 * @throws Error for a text that is no network
 */
export function addressesOutside(cidrs: readonly string[]): ((address: string) => boolean) | undefined {
  if (cidrs.length === 0) return undefined;
  const denied = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', bits, ...more] = cidr.split('/');
    if (bits === undefined || more.length > 0 || !/^\d{1,3}$/.test(bits)) throw new Error(`not a network: ${cidr}`);
    denied.addSubnet(network, Number(bits), isIPv6(network) ? 'ipv6' : 'ipv4');
  }
  return (address) => !denied.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
