import type { ServedResources } from '@orch/resources';
import type { Answerer } from './answerer.js';
import type { RequestInfo } from './request-info.js';

/** Use of a request body: read by this process, forwarded to another server as it arrives, or not read. */
export type BodyUse = 'read' | 'passed-on' | 'left';

/**
 * The body of a request that changes a resource is read if the resource is served here; no other request takes a body.
 */
export const bodyUseOf =
  (served: Pick<ServedResources, 'current'>, aggregator: Pick<Answerer, 'answers'> | undefined) =>
  (info: RequestInfo): BodyUse => {
    if (aggregator?.answers(info)) return 'passed-on';
    const { isResourceRequest, group, version, resource } = info;
    return isResourceRequest && served.current.find(group, version, resource) ? 'read' : 'left';
  };
