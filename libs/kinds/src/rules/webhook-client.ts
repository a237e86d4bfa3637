import {
  dns1035LabelErrors,
  dnsSubdomainErrors,
  type FieldError,
  invalidValue,
  parseUrl,
  required,
} from '@orch/machinery';
import type { ServiceReference } from '@orch/schema/types/admissionregistration/v1';
import { shownStrings } from '../values/go-syntax.js';
import { invalidEach, portNumberErrors } from './checks.js';
import { each } from './lists.js';

/** Checks of the clients of webhooks, of admission and of conversion. */

const FORM = 'desired format: https://host[/path]';
const DEFAULT_PORT = 443;
/** Forms of the review that this release and the one before send. */
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/** The client configuration of a webhook. */
interface WebhookClient {
  readonly url?: string;
  readonly service?: ServiceReference;
}

/** Either a URL or a Service. `path` is that of the client's configuration. */
export function validateWebhookClient(client: WebhookClient, path: string): FieldError[] {
  const { url, service } = client;
  if ((typeof url === 'string') === (service !== undefined)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  return typeof url === 'string' ? validateUrl(`${path}.url`, url) : validateService(service, `${path}.service`);
}

function validateUrl(field: string, text: string): FieldError[] {
  const url = parseUrl(text);
  if (typeof url === 'string') return [required(field, `url must be a valid URL: ${url}; ${FORM}`)];
  const refused = (value: string, why: string) => invalidValue(field, value, why);
  return [
    ...(url.scheme === 'https' ? [] : [refused(url.scheme, `'https' is the only allowed URL scheme; ${FORM}`)]),
    ...(url.host === '' ? [refused('', `host must be specified; ${FORM}`)] : []),
    // Not shown: it may be a password.
    ...(url.hasUser ? [refused('<user>', 'user information is not permitted in the URL')] : []),
    ...(url.fragment ? [refused(url.fragment, 'fragments are not permitted in the URL')] : []),
    ...(url.query ? [refused(url.query, 'query parameters are not permitted in the URL')] : []),
  ];
}

function validateService(service: ServiceReference | undefined, path: string): FieldError[] {
  const port = service?.port ?? DEFAULT_PORT;
  const wrong = portNumberErrors(port);
  // The release confuses the two, and clients compare its messages.
  const missing = (name: 'name' | 'namespace', reported: string) =>
    (service?.[name] ?? '') === '' ? [required(`${path}.${reported}`, `service ${reported} is required`)] : [];
  return [
    ...missing('namespace', 'name'),
    ...missing('name', 'namespace'),
    ...(wrong.length > 0 ? [invalidValue(`${path}.port`, port, `port is not valid: ${wrong.join(', ')}`)] : []),
    ...validatePath(service?.path ?? '', `${path}.path`),
  ];
}

function validatePath(path: string, field: string): FieldError[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return [invalidValue(field, path, 'segment[0] may not be empty')];
  const segments = path.slice(1).replace(/\/$/, '').split('/');
  const wrong = segments.flatMap((segment, index) => {
    if (segment === '') return [`segment[${index}] may not be empty`];
    return dnsSubdomainErrors(segment).map((text) => `segment[${index}]: ${text}`);
  });
  return invalidEach(field, path, [...(path.startsWith('/') ? [] : ["must start with a '/'"]), ...wrong]);
}

/**
 * The forms of the review that a webhook takes.
 * @param known whether one of them must be known
 */
export function validateReviewVersions(
  versions: readonly string[],
  field: string,
  whyRequired: string,
  known: boolean,
): FieldError[] {
  if (versions.length === 0) return [required(field, whyRequired)];
  const seen = new Set<string>();
  const errors = each(versions, field, (version, path) => {
    if (seen.has(version)) return [invalidValue(path, version, 'duplicate version')];
    seen.add(version);
    return invalidEach(path, version, dns1035LabelErrors(version));
  });
  if (!known || isReviewed(versions)) return errors;
  const text = `must include at least one of ${REVIEW_VERSIONS.join(', ')}`;
  return [...errors, invalidValue(field, shownStrings(versions), text)];
}

/** The refusal of a webhook that names no form of the review. */
export const SOME_REVIEW_VERSION = `must specify one of ${REVIEW_VERSIONS.join(', ')}`;

/** Whether a form is known. */
export const isReviewed = (versions: readonly string[]): boolean =>
  REVIEW_VERSIONS.some((version) => versions.includes(version));
