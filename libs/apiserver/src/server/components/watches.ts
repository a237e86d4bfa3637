import { isTrusted } from '@orch/authentication';
import { CredentialRechecks } from '@orch/credentials';
import { StatusError } from '@orch/machinery';
import { systemClock } from '@orch/runtime';
import { OpenWatches } from '@orch/serving';
import { declare } from './process.js';

/** Register of open watches, which end with the credential and the rights of their callers. */
export const watches = declare(
  { name: 'watches', needs: ['access', 'tokens', 'credentials'], makes: ['watches'] },
  (process) => ({
    async start() {
      const { maxWatches, maxWatchesPerUser, maxStreams, maxStreamsPerUser } = process.settings.serving;
      const opened = new OpenWatches(
        { inAll: maxWatches, perUser: maxWatchesPerUser },
        { inAll: maxStreams, perUser: maxStreamsPerUser },
      );
      process.need('access').judge(opened);
      process.need('tokens').judge(opened);
      new CredentialRechecks({ watches: opened, clock: systemClock, logger: process.logger });
      process
        .need('credentials')
        .onTaken(({ trust }) =>
          opened.reevaluate(({ authentication }) => (isTrusted(trust, authentication) ? undefined : notTrusted())),
        );
      process.provide({ watches: opened });
    },
    async stop() {},
  }),
);

/** Ends the watches of callers that are not authenticated any more. */
const notTrusted = () => new StatusError('Unauthorized', 'Unauthorized');
