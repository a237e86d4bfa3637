import { KEYS_PATH } from '@orch/authentication';
import { createDiscoveryRoutes, createFallbackApp, createIssuerRoutes } from '@orch/discovery';
import { VERSION } from '../version.js';
import { declare, type Host } from './process.js';

const NEEDS = ['api', 'observation', 'admissionWebhooks', 'fairness', 'serviceAccountKeys', 'aggregated'] as const;

type Process = Host<(typeof NEEDS)[number] | 'served'>;

/** Requests that are for no resource: discovery, OpenAPI, health, metrics, pages for debugging. */
export const documents = declare(
  { name: 'documents', needs: NEEDS, later: ['served'], makes: ['documents'] },
  (process) => ({
    async start() {
      const { settings, features, health } = process;
      const { metricsPage = (own) => own } = settings;
      const { served, deps } = process.need('api');
      const { scheme, names } = deps;
      const remote = () => process.need('aggregated').documents;
      const pages = [process.need('fairness').pages, process.need('admissionWebhooks').pages];
      process.provide({
        documents: createFallbackApp({
          ...{ health, version: VERSION, metrics: metricsPage(process.need('observation').metrics) },
          discovery: createDiscoveryRoutes(served, { scheme, names, features, release: VERSION.gitVersion, remote }),
          issuer: issuerOf(process),
          pages: new Map(pages.flatMap((each) => [...(each ?? [])])),
        }),
      });
    },
    async stop() {},
  }),
);

/** Documents of the issuer of tokens, which name the address that other servers reach this one by. */
function issuerOf(process: Process) {
  const { publicUrl = '', serviceAccountJwksUri } = process.settings.serving;
  const { issuers, verification: keys } = process.need('serviceAccountKeys');
  const address = () => process.peek('served')?.publicAddress ?? publicUrl;
  return createIssuerRoutes({ issuers, keys, keysUri: () => serviceAccountJwksUri ?? `${address()}${KEYS_PATH}` });
}
