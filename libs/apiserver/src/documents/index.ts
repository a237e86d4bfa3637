export { type DiscoveryDocuments, discoveryDocuments } from './discovery-documents.js';
