export { ConversionError, type ConversionRequest, conversionReview, convertedObjects, kindText } from './review.js';
