import {
  DISCOVERY_PATH,
  discoveryDocument,
  discoveryProblem,
  KEYS_PATH,
  keySet,
  type VerificationKey,
} from '@orch/authentication';
import { wrongMethod } from '@orch/resources';
import type { Express, Response } from 'express';

/** The value of pkg/routes/openidmetadata.go of k8s.io/kubernetes: keys change seldom, and old ones stay for long. */
const CACHE_CONTROL = 'public, max-age=3600';

interface IssuerRoutesOptions {
  /** Accepted issuers; the document describes the first. */
  readonly issuers: readonly [string, ...string[]];
  readonly keys: readonly VerificationKey[];
  /** Returns the URL of the keys that the document names; called when requests arrive. */
  readonly keysUri: () => string;
}

/**
 * Documents with which verifiers of this issuer's tokens find the keys that they are signed with (OpenID discovery).
 */
export interface IssuerRoutes {
  /** Paths of the documents; empty where there are none. */
  readonly paths: readonly string[];
  /** Adds the routes to an app. */
  mount(app: Express): void;
}

/**
 * Creates the routes; none where the issuer's name is no URL under which verifiers could find them, or there are no
 * keys.
 */
export function createIssuerRoutes({ issuers: [issuer], keys, keysUri }: IssuerRoutesOptions): IssuerRoutes {
  if (discoveryProblem(issuer) !== undefined || keys.length === 0) return { paths: [], mount: () => undefined };
  const send = (res: Response, type: string, document: object) => {
    res.set('Cache-Control', CACHE_CONTROL);
    // Past express, which would add a charset.
    res.setHeader('Content-Type', type);
    res.send(Buffer.from(JSON.stringify(document)));
  };
  return {
    paths: [DISCOVERY_PATH, KEYS_PATH],
    mount(app) {
      app.head([`${DISCOVERY_PATH}{/}`, `${KEYS_PATH}{/}`], () => {
        throw wrongMethod();
      });
      app.get(`${DISCOVERY_PATH}{/}`, (_req, res) =>
        send(res, 'application/json', discoveryDocument(issuer, keysUri(), keys)),
      );
      app.get(`${KEYS_PATH}{/}`, (_req, res) => send(res, 'application/jwk-set+json', keySet(keys)));
    },
  };
}
