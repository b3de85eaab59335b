/** What servers of others say in plain words, because they return errors without a code. */
import type { ErrorKind } from '../../base/result.ts';

const texts: readonly [RegExp, ErrorKind][] = [
  // libvirt's "Domain not found", vSphere's ManagedObjectNotFound ("has already been deleted or has not been completely created").
  [
    /domain not found|failed to get domain|no domain with matching|managed ?object ?not ?found|has already been deleted|(vm|virtual machine|snapshot)\b.{0,80}\bnot found/i,
    'not-found',
  ],
  [/already exists|duplicate ?name|is already in use by another/i, 'conflict'],
  [/another task is already in progress|task ?in ?progress|is locked|state change lock|vm is locked/i, 'conflict'],
  [
    /no space left|not enough (space|storage|memory|cpu|resources)|insufficient (resources|disk|storage|memory|cpu|capacity)|cannot allocate memory|noDiskSpace|InsufficientResources/i,
    'insufficient-capacity',
  ],
  [/quota/i, 'quota-exceeded'],
  [/not supported|unsupported|not implemented/i, 'invalid'],
  [
    /incorrect user name or password|login failure|authentication failed|permission (denied|to perform)|NotAuthenticated|NoPermission|401 |403 /i,
    'unauthorised',
  ],
  [
    /invalid (argument|configuration|spec|parameter|property|operation for device)|is required|must be|out of range|unable to parse|template .{0,80}not found|image .{0,80}not found|network .{0,80}not found|datastore .{0,80}not found/i,
    'invalid',
  ],
];

/** Undefined: the text says nothing that we know. */
export const plainErrorKind = (text: string): ErrorKind | undefined =>
  texts.find(([pattern]) => pattern.test(text))?.[1];

/** What a server says of a start that is not needed. */
export const saysRunning = (text: string): boolean =>
  /already (powered )?(on\b|running)|(vm|domain|machine) is running|current state \(powered on\)/i.test(text);

/** What a server says of a machine that it deletes only when it is off. */
export const saysMustBeOff = (text: string): boolean =>
  /(vm|domain|machine)\b.{0,40} is running|current state \(powered on\)|must be (stopped|powered off)|power(ed)? off first/i.test(
    text,
  );
