import { dns1035LabelErrors, type FieldError, forbiddenField, invalidValue, required } from '@orch/machinery';
import { invalidEach, oneOf } from '../rules/checks.js';
import { at, isObject, stringsAt, textAt } from '../values/fields.js';
import { shownStrings } from '../values/go-syntax.js';

/** Forms of the review that this release sends. */
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/** How objects get from one version to another. Messages name fields as clients know them, from before `webhook` held them. */
export function validateConversion(conversion: unknown): FieldError[] {
  if (!isObject(conversion)) return [];
  const strategy = oneOf('spec.conversion.strategy', conversion.strategy, ['None', 'Webhook']);
  const client = at(conversion, 'webhook', 'clientConfig');
  const versions = stringsAt(conversion, 'webhook', 'conversionReviewVersions');
  if (conversion.strategy === 'Webhook') return [...validateClient(client), ...validateReviews(versions)];
  const why = 'should not be set when strategy is not set to Webhook';
  return [
    ...strategy,
    ...(isObject(client) ? [forbiddenField('spec.conversion.webhookClientConfig', why)] : []),
    ...(versions.length > 0 ? [forbiddenField('spec.conversion.conversionReviewVersions', why)] : []),
  ];
}

function validateClient(client: unknown): FieldError[] {
  const field = 'spec.conversion.webhookClientConfig';
  if (!isObject(client)) return [required(field, 'required when strategy is set to Webhook')];
  if ((typeof client.url === 'string') === isObject(client.service)) {
    return [required(field, 'exactly one of url or service is required')];
  }
  if (typeof client.url === 'string') return validateUrl(`${field}.url`, client.url);
  return ['name', 'namespace'].flatMap((name) =>
    textAt(client.service, name) === '' ? [required(`${field}.service.${name}`, `service ${name} is required`)] : [],
  );
}

function validateUrl(field: string, text: string): FieldError[] {
  const form = 'desired format: https://host[/path]';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return [required(field, `url must be a valid URL: ${JSON.stringify(text)}; ${form}`)];
  const scheme = url.protocol.slice(0, -1);
  const refused = (value: string, why: string) => invalidValue(field, value, why);
  return [
    ...(scheme === 'https' ? [] : [refused(scheme, `'https' is the only allowed URL scheme; ${form}`)]),
    ...(url.host === '' ? [refused('', `host must be specified; ${form}`)] : []),
    // Not shown: it may be a password.
    ...(url.username || url.password ? [refused('<user>', 'user information is not permitted in the URL')] : []),
    ...(url.hash ? [refused(url.hash.slice(1), 'fragments are not permitted in the URL')] : []),
    ...(url.search ? [refused(url.search.slice(1), 'query parameters are not permitted in the URL')] : []),
  ];
}

function validateReviews(versions: readonly string[]): FieldError[] {
  const field = 'spec.conversion.conversionReviewVersions';
  if (versions.length === 0) return [required(field)];
  const each = versions.flatMap((version, index) =>
    versions.indexOf(version) < index
      ? [invalidValue(`${field}[${index}]`, version, 'duplicate version')]
      : invalidEach(`${field}[${index}]`, version, dns1035LabelErrors(version)),
  );
  const known = versions.some((version) => REVIEW_VERSIONS.includes(version));
  const why = `must include at least one of ${REVIEW_VERSIONS.join(', ')}`;
  return [...each, ...(known ? [] : [invalidValue(field, shownStrings(versions), why)])];
}
