export { AggregatedApis } from './aggregated-apis.js';
export { observeRegistrations } from './aggregation-metrics.js';
export { aggregationOptions } from './aggregation-options.js';
export { Aggregator } from './aggregator.js';
export { fetchFrom } from './extension-client.js';
export { Extensions } from './extensions.js';
export type { Extension } from './forward.js';
export type { RemoteRegistration } from './remote-registrations.js';
