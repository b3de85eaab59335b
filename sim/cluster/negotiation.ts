/** What form of answer a client asks for. */
import { notAcceptable } from './api-error.ts';
import type { IncludeObject } from './table.ts';

/** `partial` is the metadata alone. */
export type Form = 'object' | 'table' | 'partial';

/** The first form that we have, in the client's order. Protobuf is not among them. */
export function formOf(accept: string | undefined): Form {
  if (accept === undefined || accept.trim() === '') return 'object';
  for (const offer of accept.split(',')) {
    const [type = '', ...parameters] = offer.split(';').map((part) => part.trim());
    if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') continue;
    const as = parameters.find((parameter) => parameter.startsWith('as='))?.slice(3);
    const version = parameters.find((parameter) => parameter.startsWith('v='))?.slice(2);
    if (as === undefined) return 'object';
    if (version !== undefined && version !== 'v1') continue;
    if (as === 'Table') return 'table';
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return 'partial';
  }
  throw notAcceptable(['application/json']);
}

export function includeObjectOf(value: string | null): IncludeObject {
  return value === 'None' || value === 'Object' ? value : 'Metadata';
}
