import {
  type ApiObject,
  ensureMetadata,
  invalid,
  invalidValue,
  type StatusError,
  VerbatimValue,
} from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { UNWRITTEN } from '../pipeline/write-request.js';
import type { Draft } from './draft.js';
import { checkPlace, namedVersion } from './object-checks.js';
import { uniteOwnerReferences } from './owner-references.js';

/**
 * Sets the metadata that belongs to the server, and checks name and namespace. Runs again after the plugins, which may
 * not change them either.
 * @throws StatusError 400 for another place, 422 for a version that is missing
 */
export function systemFields(draft: Draft): void {
  const { request, wantedServed, before, admitted } = draft;
  const { endpoint, key } = request;
  const meta = ensureMetadata(wantedServed);
  wantedServed.kind = endpoint.definition.kind;
  wantedServed.apiVersion = endpoint.apiVersion;
  // A plugin may name what has no name yet.
  const named = admitted && key.name === '' ? { ...key, name: meta.name ?? '' } : key;
  checkPlace(endpoint, named, meta);
  if (before) {
    if (!admitted) requireVersion(draft);
    keepSystemFields(wantedServed, before);
  } else resetSystemFields(draft);
  uniteOwnerReferences(draft);
}

/**
 * Requires a resource version of an update where the kind does; a change of an object that is itself still to be
 * written needs none, unless it replaces the object.
 */
function requireVersion({ request: { endpoint, key, changeKind }, wantedServed, stored }: Draft): void {
  if (endpoint.storageRules.unconditionalUpdate || namedVersion(wantedServed) !== '') return;
  if (changeKind === 'replace' || stored?.version !== UNWRITTEN) throw versionMissing(endpoint, key.name);
}

/** Builds the error with the message that clients know, with the resource in place of the kind. */
function versionMissing({ groupResource: { group, resource } }: Endpoint, name: string): StatusError {
  const error = invalidValue('metadata.resourceVersion', new VerbatimValue('0x0'), 'must be specified for an update');
  return invalid(resource, group, name, [error]);
}

/** Takes from the live object the fields that clients may omit or may not set. */
function keepSystemFields(wantedServed: ApiObject, before: ApiObject): void {
  const meta = ensureMetadata(wantedServed);
  const live = before.metadata ?? {};
  if (live.namespace !== undefined) meta.namespace = live.namespace;
  else delete meta.namespace;
  if (!meta.uid && live.uid !== undefined) meta.uid = live.uid;
  meta.creationTimestamp = live.creationTimestamp ?? null;
  if (live.generation !== undefined) meta.generation = live.generation;
  else delete meta.generation;
  if (live.deletionTimestamp !== undefined) meta.deletionTimestamp = live.deletionTimestamp;
  if (meta.deletionGracePeriodSeconds === undefined && live.deletionGracePeriodSeconds !== undefined) {
    meta.deletionGracePeriodSeconds = live.deletionGracePeriodSeconds;
  }
  delete meta.selfLink;
}

/** A new object has none of it: uid, time and name are given once it has been admitted. */
function resetSystemFields(draft: Draft): void {
  const { request, wantedServed } = draft;
  const { endpoint, key, changeKind } = request;
  // An apply describes the object whichever version exists; a replacement that names a version means an existing
  // object, so none may be created.
  if (changeKind !== 'apply' && namedVersion(wantedServed) !== '') draft.namesVersion = true;
  const meta = ensureMetadata(wantedServed);
  delete meta.resourceVersion;
  if (endpoint.definition.namespaced) meta.namespace = key.namespace;
  delete meta.uid;
  delete meta.creationTimestamp;
  delete meta.deletionTimestamp;
  delete meta.deletionGracePeriodSeconds;
  delete meta.selfLink;
  delete meta.generation;
}
