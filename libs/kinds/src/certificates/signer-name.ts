import { dnsLabelErrors, dnsSubdomainErrors, type FieldError, invalidValue, required, tooLong } from '@orch/machinery';

const MAX_DOMAIN = 253;
const MAX_PATH = 253 + 63 + 1;
const MAX_NAME = MAX_DOMAIN + MAX_PATH + 1;

/** The name of a signer: a domain and a path, such as `example.com/my-signer`. */
export function validateSignerName(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)];
  const [domain = '', path = '', ...rest] = name.split('/');
  if (rest.length > 0 || !name.includes('/')) {
    const text = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidValue(field, name, text)];
  }
  const segments = 'should be a domain with at least two segments separated by dots';
  return [
    ...(Buffer.byteLength(domain) > MAX_DOMAIN ? [tooLong(field, MAX_DOMAIN)] : []),
    ...validateLabels(domain, field, dnsLabelErrors),
    ...(domain.includes('.') ? [] : [invalidValue(field, domain, segments)]),
    ...validateLabels(path, field, dnsSubdomainErrors),
    ...(Buffer.byteLength(name) > MAX_NAME ? [tooLong(field, MAX_NAME)] : []),
  ];
}

/** Finds the first wrong label. */
function validateLabels(text: string, field: string, check: (label: string) => string[]): FieldError[] {
  for (const label of text.split('.')) {
    const errors = check(label);
    if (errors.length === 0) continue;
    return errors.map((error) => invalidValue(field, text, `validating label ${JSON.stringify(label)}: ${error}`));
  }
  return [];
}
