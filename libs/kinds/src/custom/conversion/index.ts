export { ConversionRefused, type ConversionRequest, conversionReview, convertedObjects, kindText } from './review.js';
