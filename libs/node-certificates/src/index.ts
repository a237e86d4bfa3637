export { type NodeConnection, nodeConnection } from './node-connection.js';
export type { PairSource } from './pair.js';
export { servingCertificate } from './serving-certificate.js';
