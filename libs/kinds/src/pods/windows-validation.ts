import { dnsSubdomainErrors, type FieldError, forbiddenField, invalidValue } from '@orch/machinery';
import type { PodSpec, WindowsSecurityContextOptions } from '@orch/schema/types/core/v1';
import { invalidEach } from '../rules/checks.js';
import { type AnyContainer, allContainers, eachContainer } from './containers.js';

const MAX_CREDENTIAL_KIB = 64;
const MAX_DOMAIN = 256;
const MAX_USER = 104;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what names may not have
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Names of computers of old: at most 15 characters, none of which means something in a path. */
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DOMAIN_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const DOMAIN = new RegExp(`^${DOMAIN_LABEL}(?:\\.${DOMAIN_LABEL})*$`);
const NOT_IN_USERS = /["/\\:;|=,+*?<>@[\]]/;
const ONLY_DOTS = /^[. ]+$/;

/** Settings that only nodes with Windows know. */
export function validateWindowsOptions(options: WindowsSecurityContextOptions | undefined, path: string): FieldError[] {
  if (!options) return [];
  const check = (
    name: 'gmsaCredentialSpecName' | 'gmsaCredentialSpec' | 'runAsUserName',
    errors: (value: string) => string[],
  ): FieldError[] => {
    const value = options[name];
    return typeof value === 'string' ? invalidEach(`${path}.${name}`, value, errors(value)) : [];
  };
  return [
    ...check('gmsaCredentialSpecName', dnsSubdomainErrors),
    ...check('gmsaCredentialSpec', credentialErrors),
    ...check('runAsUserName', userNameErrors),
  ];
}

function credentialErrors(credential: string): string[] {
  if (credential === '') return ['gmsaCredentialSpec cannot be an empty string'];
  return Buffer.byteLength(credential) > MAX_CREDENTIAL_KIB * 1024
    ? [`gmsaCredentialSpec size must be under ${MAX_CREDENTIAL_KIB} KiB`]
    : [];
}

/** `user` or `domain\user`. */
function userNameErrors(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (CONTROL.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const [user = '', domain] = parts.reverse();
  return [...(domain === undefined ? [] : domainErrors(domain)), ...userErrors(user)];
}

function domainErrors(domain: string): string[] {
  const long = domain.length >= MAX_DOMAIN;
  const texts = long ? [`runAsUserName's Domain length must be under ${MAX_DOMAIN} characters`] : [];
  if (NETBIOS.test(domain) || (domain.length <= TESTED_MAX && DOMAIN.test(domain))) return texts;
  return [...texts, "runAsUserName's Domain doesn't match the NetBios nor the DNS format"];
}
const TESTED_MAX = 4_096;

function userErrors(user: string): string[] {
  const texts: string[] = [];
  if (user === '') texts.push("runAsUserName's User cannot be empty");
  else if (user.length > MAX_USER) {
    texts.push(`runAsUserName's User length must not be longer than ${MAX_USER} characters`);
  }
  if (ONLY_DOTS.test(user)) texts.push("runAsUserName's User cannot contain only periods or spaces");
  if (NOT_IN_USERS.test(user)) {
    texts.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  }
  return texts;
}

/** A pod whose containers are processes of the host, where that is `allowed`: all of them are, or none. */
export function validateHostProcess(spec: PodSpec | undefined, path: string, allowed: boolean): FieldError[] {
  const ofPod = hostProcess(spec);
  if (ofPod === undefined && allContainers(spec).every((container) => hostProcess(container) === undefined)) return [];
  const errors: FieldError[] = [];
  const each = eachContainer(spec, path, (container, field) => {
    const own = hostProcess(container);
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const text = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      errors.push(invalidValue(`${field}.securityContext.windowsOptions.hostProcess`, own, text));
    }
    return [own ?? ofPod ?? false];
  });
  if (!each.includes(true)) return errors;
  if (each.includes(false)) {
    const text = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(invalidValue(path, '', text));
  }
  if (spec?.hostNetwork !== true) {
    const text = 'hostNetwork must be true if pod contains any hostProcess containers';
    errors.push(invalidValue(`${path}.hostNetwork`, false, text));
  }
  return allowed
    ? errors
    : [...errors, forbiddenField(path, 'hostProcess containers are disallowed by cluster policy')];
}

const hostProcess = (owner: PodSpec | AnyContainer | undefined): boolean | undefined =>
  owner?.securityContext?.windowsOptions?.hostProcess;
