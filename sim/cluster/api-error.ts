/** Refusals in the words of a kube-apiserver: each is a Status object with code, reason, message and details. */
import { defined } from '../../shared/base/defined.ts';
import type { JsonObject, KubeObject } from './types.ts';

export interface Cause {
  reason: string;
  message: string;
  field: string;
}

type Named = { group: string; plural: string };

/** Thrown inside the server, and by the in-process store; the HTTP layer turns it into its Status. */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: JsonObject | undefined;
  /** Extra list metadata: an expired continue token answers with a fresh one. */
  readonly continueToken: string | undefined;

  constructor(code: number, reason: string, message: string, details?: JsonObject, continueToken?: string) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.continueToken = continueToken;
  }

  toStatus(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...defined({ details: this.details }),
      code: this.code,
    };
  }
}

function qualified(resource: Named): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

function detailsOf(resource: Named, name: string): JsonObject {
  return { name, ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.plural };
}

export const notFound = (resource: Named, name: string): ApiError =>
  new ApiError(404, 'NotFound', `${qualified(resource)} "${name}" not found`, detailsOf(resource, name));

/** A path that no handler serves. */
export const pathNotFound = (): ApiError =>
  new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});

export const alreadyExists = (resource: Named, name: string, existing: KubeObject): ApiError => {
  const going = existing.metadata.deletionTimestamp === undefined ? '' : 'object is being deleted: ';
  const message = `${going}${qualified(resource)} "${name}" already exists`;
  return new ApiError(409, 'AlreadyExists', message, detailsOf(resource, name));
};

export const conflict = (resource: Named, name: string, why: string): ApiError =>
  new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`,
    detailsOf(resource, name),
  );

export const modified = (resource: Named, name: string): ApiError =>
  conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );

export const badRequest = (message: string): ApiError => new ApiError(400, 'BadRequest', message);

export const forbidden = (resource: Named, name: string, why: string, causes: Cause[] = []): ApiError =>
  new ApiError(403, 'Forbidden', `${qualified(resource)} "${name}" is forbidden: ${why}`, {
    ...detailsOf(resource, name),
    ...(causes.length === 0 ? {} : { causes: causes.map((cause) => ({ ...cause })) }),
  });

export const methodNotAllowed = (): ApiError =>
  new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const unsupportedMediaType = (accepted: string[]): ApiError =>
  new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

export const notAcceptable = (accepted: string[]): ApiError =>
  new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);

export const tooLarge = (limit: number): ApiError =>
  new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limit}`);

export const expired = (message: string, continueToken?: string): ApiError =>
  new ApiError(410, 'Expired', message, undefined, continueToken);

/** A JSON patch that does not apply, a failed `test` among them. The real server gives no more detail than this. */
export const patchDoesNotApply = (): ApiError =>
  new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

/** Field errors, one cause each, in the real server's wording. */
export function invalid(kind: { group: string; kind: string }, name: string, causes: Cause[]): ApiError {
  const parts = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const text = parts.length === 1 ? parts[0] : `[${parts.join(', ')}]`;
  const qualifiedKind = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  return new ApiError(422, 'Invalid', `${qualifiedKind} "${name}" is invalid: ${text}`, {
    ...(name === '' ? {} : { name }),
    ...(kind.group === '' ? {} : { group: kind.group }),
    ...(kind.kind === '' ? {} : { kind: kind.kind }),
    causes: causes.map((cause) => ({ ...cause })),
  });
}

/** How the real server writes a value into a message. */
function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return '"array"';
  if (typeof value === 'object' && value !== null) return '"object"';
  return String(value);
}

export const invalidValue = (field: string, value: unknown, detail: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${show(value)}: ${detail}`,
  field,
});

export const requiredValue = (field: string, detail = ''): Cause => ({
  reason: 'FieldValueRequired',
  message: detail === '' ? 'Required value' : `Required value: ${detail}`,
  field,
});

export const wrongType = (field: string, value: unknown, detail: string): Cause => ({
  reason: 'FieldValueTypeInvalid',
  message: `Invalid value: ${show(value)}: ${detail}`,
  field,
});

export const unsupportedValue = (field: string, value: unknown, allowed: unknown[]): Cause => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${show(value)}: supported values: ${allowed.map((one) => JSON.stringify(one)).join(', ')}`,
  field,
});

export const forbiddenField = (field: string, detail: string): Cause => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${detail}`,
  field,
});

export const tooMany = (field: string, actual: number, limit: number): Cause => ({
  reason: 'FieldValueTooMany',
  message: `Too many: ${actual}: must have at most ${limit} items`,
  field,
});

export const tooLong = (field: string, limit: number): Cause => ({
  reason: 'FieldValueTooLong',
  message: `Too long: may not be more than ${limit} bytes`,
  field,
});
