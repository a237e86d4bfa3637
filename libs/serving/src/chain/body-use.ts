import type { ServedResources } from '@orch/resources';
import type { Answerer } from './answerer.js';
import type { RequestInfo } from './request-info.js';

/** What becomes of the body of a request: it is read here, passed on to another server as it comes, or left where it is. */
export type BodyUse = 'read' | 'passed-on' | 'left';

/** Bodies of what changes resources are read, where these are served here; nothing else takes one. */
export const bodyUseOf =
  (served: Pick<ServedResources, 'current'>, aggregator: Pick<Answerer, 'answers'> | undefined) =>
  (info: RequestInfo): BodyUse => {
    if (aggregator?.answers(info)) return 'passed-on';
    const { isResourceRequest, group, version, resource } = info;
    return isResourceRequest && served.current.find(group, version, resource) ? 'read' : 'left';
  };
