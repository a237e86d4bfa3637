import {
  dnsLabelErrors,
  dnsSubdomainErrors,
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  type VerbatimValue,
} from '@orch/machinery';
import type {
  FlowDistinguisherMethod,
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  ResourcePolicyRule,
  Subject,
} from '@orch/schema/types/flowcontrol/v1beta3';
import { invalidEach } from '../rules/checks.js';
import { each } from '../rules/lists.js';
import { shownStrings } from '../values/go-syntax.js';
import { shownStruct } from '../values/go-values.js';
import { FIXED_SCHEMAS, validateFixed } from './fixed.js';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const METHODS = ['ByNamespace', 'ByUser'];
const MAX_PRECEDENCE = 10_000;
const EXEMPT = 'exempt';
/** Members that hold a subject, by its kind. */
const SUBJECTS: Readonly<Record<string, 'group' | 'serviceAccount' | 'user'>> = {
  Group: 'group',
  ServiceAccount: 'serviceAccount',
  User: 'user',
};

/** Checks a flow schema; the fixed ones must have their fixed content. */
export const validateFlowSchema = ({ metadata, spec }: FlowSchema): FieldError[] => [
  ...validatePrecedence(spec?.matchingPrecedence ?? 0, metadata?.name ?? ''),
  ...validateMethod(spec?.distinguisherMethod),
  ...validateLevel(spec?.priorityLevelConfiguration?.name ?? ''),
  ...each(spec?.rules ?? [], 'spec.rules', validateRule),
  ...validateFixed(metadata?.name ?? '', spec, FIXED_SCHEMAS),
];

function validatePrecedence(precedence: number, name: string): FieldError[] {
  const texts: string[] = [];
  if (precedence <= 0) texts.push('must be a positive value');
  if (precedence > MAX_PRECEDENCE) texts.push(`must not be greater than ${MAX_PRECEDENCE}`);
  if (precedence === 1 && name !== EXEMPT)
    texts.push(`only the schema named '${EXEMPT}' may have matchingPrecedence 1`);
  return invalidEach('spec.matchingPrecedence', precedence, texts);
}

function validateMethod(method: FlowDistinguisherMethod | undefined): FieldError[] {
  const type = method?.type ?? '';
  if (!method || METHODS.includes(type)) return [];
  const shown = shownStruct('flowcontrol.FlowDistinguisherMethod', { Type: type });
  return [notSupported('spec.distinguisherMethod.type', shown, METHODS)];
}

function validateLevel(name: string): FieldError[] {
  const field = 'spec.priorityLevelConfiguration.name';
  return name === ''
    ? [required(field, 'must reference a priority level')]
    : invalidEach(field, name, dnsSubdomainErrors(name));
}

function validateRule(rule: PolicyRulesWithSubjects, path: string): FieldError[] {
  const { subjects = [], resourceRules: resources = [], nonResourceRules: others = [] } = rule;
  const nothing = 'at least one of resourceRules and nonResourceRules has to be non-empty';
  return [
    ...(subjects.length === 0 ? [required(`${path}.subjects`, 'subjects must contain at least one value')] : []),
    ...each(subjects, `${path}.subjects`, validateSubject),
    ...(resources.length + others.length === 0 ? [required(path, nothing)] : []),
    ...each(resources, `${path}.resourceRules`, validateResourceRule),
    ...each(others, `${path}.nonResourceRules`, validateOtherRule),
  ];
}

/** A subject with a name, and a namespace if it has one. */
interface NamedSubject {
  readonly name?: string;
  readonly namespace?: string;
}

function validateSubject(subject: Subject, path: string): FieldError[] {
  const kind = subject.kind ?? '';
  const member = SUBJECTS[kind];
  if (member === undefined) return [notSupported(`${path}.kind`, kind, Object.keys(SUBJECTS))];
  const strangers = Object.entries(SUBJECTS).filter(([, name]) => name !== member && subject[name]);
  return [
    ...validateNamed(kind, subject[member], `${path}.${member}`),
    ...strangers.map(([other, name]) =>
      forbiddenField(`${path}.${name}`, `${name} is forbidden when subject kind is not '${other}'`),
    ),
  ];
}

function validateNamed(kind: string, subject: NamedSubject | undefined, path: string): FieldError[] {
  if (!subject) return [required(path, `${SUBJECTS[kind]} is required when subject kind is '${kind}'`)];
  const name = subject.name ?? '';
  const missing = name === '' ? [required(`${path}.name`)] : [];
  if (kind !== 'ServiceAccount') return missing;
  const namespace = subject.namespace ?? '';
  const field = `${path}.namespace`;
  return [
    ...missing,
    ...(name === '' || name === '*' ? [] : invalidEach(`${path}.name`, name, dnsSubdomainErrors(name))),
    ...(namespace === ''
      ? [required(field, 'must specify namespace for service account')]
      : invalidEach(field, namespace, dnsLabelErrors(namespace))),
  ];
}

/** Everything stands alone. */
const alone = (items: readonly string[], field: string, what: string): FieldError[] =>
  items.length > 1 && items.includes('*')
    ? [invalidValue(field, shownStrings(items), `if '*' is present, must not specify other ${what}`)]
    : [];

function validateVerbs(rule: ResourcePolicyRule | NonResourcePolicyRule, path: string): FieldError[] {
  const verbs = rule.verbs ?? [];
  const field = `${path}.verbs`;
  if (verbs.length === 0) return [required(field, 'verbs must contain at least one value')];
  if (verbs.includes('*')) return alone(verbs, field, 'verbs');
  const shown: VerbatimValue = shownStrings(verbs);
  return verbs.every((verb) => VERBS.includes(verb)) ? [] : [notSupported(field, shown, VERBS)];
}

function validateResourceRule(rule: ResourcePolicyRule, path: string): FieldError[] {
  const listed = (name: 'apiGroups' | 'resources', what: string, one: string) => {
    const items = rule[name] ?? [];
    const field = `${path}.${name}`;
    return items.length > 0
      ? alone(items, field, what)
      : [required(field, `resource rules must supply at least one ${one}`)];
  };
  return [
    ...validateVerbs(rule, path),
    ...listed('apiGroups', 'api groups', 'api group'),
    ...listed('resources', 'resources', 'resource'),
    ...validateNamespaces(rule, `${path}.namespaces`),
  ];
}

function validateNamespaces(rule: ResourcePolicyRule, field: string): FieldError[] {
  const namespaces = rule.namespaces ?? [];
  if (namespaces.length === 0 && rule.clusterScope !== true) {
    return [required(field, 'resource rules that are not cluster scoped must supply at least one namespace')];
  }
  if (namespaces.includes('*')) return alone(namespaces, field, 'namespaces');
  const what = "each member of this list must be '*' or a DNS-1123 label; ";
  return each(namespaces, field, (namespace, path) =>
    dnsLabelErrors(namespace).map((text) => invalidValue(path, namespace, `${what}${text}`)),
  );
}

function validateOtherRule(rule: NonResourcePolicyRule, path: string): FieldError[] {
  const urls = rule.nonResourceURLs ?? [];
  const field = `${path}.nonResourceURLs`;
  const verbs = validateVerbs(rule, path);
  if (urls.length === 0) return [...verbs, required(field, 'nonResourceURLs must contain at least one value')];
  if (urls.includes('*')) return [...verbs, ...alone(urls, field, 'non-resource URLs')];
  return [...verbs, ...each(urls, field, (url, at) => invalidEach(at, url, urlErrors(url)))];
}

/** A path; what begins with one ends in a wildcard. */
function urlErrors(path: string): string[] {
  if (path === '') return ['must not be empty'];
  if (path === '/') return [];
  if (!path.startsWith('/')) return ['must start with slash'];
  if (path.includes(' ')) return ['must not contain white-space'];
  if (path.includes('//')) return ['must not contain double slash'];
  const wildcard = path.indexOf('*');
  const suffix = wildcard === path.length - 1 && path.endsWith('/*');
  return wildcard < 0 || suffix ? [] : ['wildcard can only do suffix matching'];
}

/** Conditions of both kinds: one of each type. */
export function validateFlowStatus({ status }: FlowSchema | PriorityLevelConfiguration): FieldError[] {
  const seen = new Set<string>();
  return each(status?.conditions ?? [], 'status.conditions', (condition, path) => {
    const type = condition.type ?? '';
    const again = seen.has(type) ? [duplicate(`${path}.type`, type)] : [];
    seen.add(type);
    return [...again, ...(type === '' ? [required(`${path}.type`, 'must not be empty')] : [])];
  });
}
