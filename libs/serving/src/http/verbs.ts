import type { ResourceDescription } from '@orch/schema';
import type { RequestContext } from './context.js';
import type { Route, Verb } from './route.js';

/** The verbs that a process carries out. */
export interface Verbs {
  /** Whether a verb is carried out on a resource ('') or one of its subresources. */
  carriesOut(resource: ResourceDescription, subresource: string, verb: Verb): boolean;
  /** Whether this server carries out what a declaration says of a subresource. */
  servesSubresource(name: string): boolean;
  /** Carries a routed request out. @throws StatusError as the verb does */
  handle(ctx: RequestContext, route: Route): Promise<void>;
}
