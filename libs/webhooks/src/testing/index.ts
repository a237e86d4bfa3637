export { ConversionServer, type Converted, convertedReview, type Review, say } from './conversion-server.js';
