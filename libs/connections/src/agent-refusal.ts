import { type Reason, StatusError } from '@orch/machinery';

/** Words for an answer of an agent, from its text. */
type Words = (text: string) => string;

const fixed =
  (words: string): Words =>
  () =>
    words;
const asSent: Words = (text) => text;

/** Reasons and words for the codes of answers, as client-go has them (k8s.io/apimachinery, pkg/api/errors). */
const CODES: Readonly<Record<number, readonly [Reason, Words]>> = {
  401: ['Unauthorized', fixed('the server has asked for the client to provide credentials')],
  403: ['Forbidden', asSent],
  404: ['NotFound', fixed('the server could not find the requested resource')],
  405: ['MethodNotAllowed', fixed('the server does not allow this method on the requested resource')],
  406: [
    'NotAcceptable',
    (text) =>
      text === '' || text === 'unknown'
        ? 'the server was unable to respond with a content type that the client supports'
        : text,
  ],
  409: ['Conflict', fixed('the server reported a conflict')],
  415: ['UnsupportedMediaType', asSent],
  422: ['Invalid', fixed('the server rejected our request due to an error in our request')],
  429: ['TooManyRequests', fixed('the server has received too many requests and has asked us to try again later')],
  503: ['ServiceUnavailable', fixed('the server is currently unable to handle the request')],
  504: [
    'Timeout',
    fixed('the server was unable to return a response in the time allotted, but may still be processing the request'),
  ],
};

const SERVER_ERROR = 500;

const onServer: Words = (text) =>
  `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;

/** The Status for an answer of an agent that is no success. */
export function agentRefusal(
  code: number,
  text: string,
  { resource, name }: { readonly resource: string; readonly name: string },
): StatusError {
  const bare = fixed(`the server responded with the status code ${code} but did not return more information`);
  const [reason, words] = CODES[code] ?? ['InternalError', code >= SERVER_ERROR ? onServer : bare];
  // The verb is not known there, which leaves a blank in front of the resource.
  const error = new StatusError(reason, `${words(text)} ( ${resource} ${name})`, { name, kind: resource });
  error.status.code = code;
  if (!CODES[code] && code < SERVER_ERROR) delete error.status.reason;
  return error;
}
