/** Parts of express that have no types of their own; `express/lib/express.js` puts them together in the same way. */
declare module 'express/lib/application.js' {
  const application: object;
  export default application;
}
declare module 'express/lib/request.js' {
  const request: object;
  export default request;
}
declare module 'express/lib/response.js' {
  const response: object;
  export default response;
}
