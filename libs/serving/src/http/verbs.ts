import type { ResourceDescription } from '@orch/schema';
import type { RequestContext } from './context.js';
import type { Route, Verb } from './route.js';

/** Verbs that a process implements. */
export interface Verbs {
  /** Whether a verb is implemented for a resource ('') or one of its subresources. */
  carriesOut(resource: ResourceDescription, subresource: string, verb: Verb): boolean;
  /** Whether this server implements a declared subresource. */
  servesSubresource(name: string): boolean;
  /** Executes a routed request. @throws errors of the verb, StatusError */
  handle(ctx: RequestContext, route: Route): Promise<void>;
}
