export {
  type AdmissionAnswer,
  type AdmissionCall,
  type AdmissionReview,
  AdmissionServer,
  patching,
} from './admission-server.js';
export { ConversionServer, type Converted, convertedReview, type Review, say } from './conversion-server.js';
export { MemoryRedis } from './memory-redis.js';
