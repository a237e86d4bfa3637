import {
  ApiTokens,
  type CertificateEnds,
  type CredentialSet,
  clientCertificates,
  ReloadableCredentials,
  RemoteTokens,
  serviceAccountTokenUses,
} from '@orch/credentials';
import { namesOf } from '@orch/machinery';
import { tokenCache } from '@orch/serving';
import { CertificateLooks } from '../certificate-looks.js';
import { certificateSources } from '../certificate-sources.js';
import { declare, type Host, stateOf, tellingOf } from './process.js';

/** Authentication of callers: certificates and tokens of all kinds. */
export const credentials = declare(
  {
    name: 'credentials',
    needs: ['api', 'store', 'changes', 'observation', 'serviceAccountKeys', 'sharedVerdicts'],
    makes: ['tokens', 'credentials'],
  },
  (process) => {
    let remote: RemoteTokens | undefined;
    let looks: CertificateLooks | undefined;
    return {
      async start() {
        const { serving } = process.settings;
        const names = namesOf(serving.naming);
        const { logger } = process;
        const { metrics, certificateEnds, reviewAsked } = process.need('observation');
        const { audiences } = process.need('serviceAccountKeys');
        const tokens = apiTokens(process);
        remote = await RemoteTokens.open({
          ...{ options: serving, names, logger, audiences },
          shared: process.need('sharedVerdicts'),
          observer: tokenCache(metrics),
          onAsked: reviewAsked('authentication'),
        });
        const opened = await ReloadableCredentials.open({
          ...{ options: serving, names, logger, audiences, certificateAccepted: clientCertificates(metrics) },
          takesHandedWatches: process.settings.role.takesHandedWatches ?? false,
          // Verifiers that call other servers come last.
          tokenVerifiers: [...tokens.verifiers, ...remote.verifiers],
        });
        process.provide({ credentials: opened });
        observeEnds(opened, certificateEnds);
        looks = await lookAtCertificates(process.settings, certificateEnds);
      },
      async stop() {
        looks?.close();
        process.peek('credentials')?.close();
        process.peek('tokens')?.stop();
        await remote?.close();
      },
    };
  },
);

const lookAtCertificates = ({ serving, backend }: Host<never>['settings'], ends: CertificateEnds) =>
  CertificateLooks.open({ sources: certificateSources(serving, backend), ends });

function observeEnds(credentials: ReloadableCredentials, ends: CertificateEnds): void {
  const observe = ({ certificates }: CredentialSet) => ends.tell('credentials', certificates);
  observe(credentials.current);
  credentials.onTaken(observe);
}

function apiTokens(
  process: Host<'api' | 'store' | 'changes' | 'observation' | 'serviceAccountKeys', 'tokens'>,
): ApiTokens {
  const { settings } = process;
  const [state, telling] = [stateOf(process), tellingOf(process)];
  const { deps } = state;
  const known = [...deps.served.current.types, ...deps.unserved];
  const tokens = new ApiTokens({
    ...{ options: settings.serving, names: namesOf(settings.serving.naming), logger: telling.logger },
    ...{ store: deps.store, reader: deps.reader, feed: state.feed },
    keys: process.need('serviceAccountKeys'),
    endpointOf: (resource) => known.find(({ definition: d }) => d.group === '' && d.resource === resource),
    onUse: serviceAccountTokenUses(telling.metrics),
  });
  process.provide({ tokens });
  return tokens;
}
