import type { NamingProfile } from '@orch/machinery';

/** A server in one naming profile, as the set-up of the conformance suite provides it to the tests. */
export interface ConformanceServer {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    servers: Readonly<Record<NamingProfile, ConformanceServer>>;
  }
}
