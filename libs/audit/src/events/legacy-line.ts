import type { AuditEvent } from './event.js';

/** An event as one line of text, as `--audit-log-format=legacy` writes it. */
export function legacyLine(event: AuditEvent): string {
  const { user, impersonatedUser, objectRef, responseStatus, sourceIPs = [] } = event;
  const quoted = (name: string, value: string): string => `${name}=${JSON.stringify(value)}`;
  const fields = [
    quoted('id', event.auditID),
    quoted('stage', event.stage),
    quoted('ip', sourceIPs[0] ?? '<unknown>'),
    quoted('method', event.verb),
    quoted('user', user.username || '<none>'),
    quoted('groups', user.username ? listed(user.groups, '<none>') : '<none>'),
    quoted('as', impersonatedUser ? (impersonatedUser.username ?? '') : '<self>'),
    quoted('asgroups', listed(impersonatedUser?.groups, '<lookup>')),
    quoted('user-agent', event.userAgent ?? ''),
    quoted('namespace', objectRef?.namespace || '<none>'),
    quoted('uri', event.requestURI),
    `response="${responseStatus?.code ?? '<deferred>'}"`,
  ];
  return `${withoutZeros(event.requestReceivedTimestamp)} AUDIT: ${fields.join(' ')}`;
}

const listed = (groups: readonly string[] = [], none: string): string =>
  groups.length === 0 ? none : groups.map((group) => JSON.stringify(group)).join(',');

/** Formats times as the reference does here: without zeros at the end of the fraction. */
const withoutZeros = (time: string): string => time.replace(/\.?0+Z$/, 'Z');
