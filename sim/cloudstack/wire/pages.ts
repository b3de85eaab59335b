/** Pages of a list: both parameters or neither, and no page larger than the largest. */
import type { JsonObject } from '../../../shared/base/json.ts';
import { listOf, type Outcome } from './answer.ts';
import type { Arguments } from './fields.ts';
import { invalid, malformed } from './refusals.ts';

const unlimited = -1;

/** Without pages, the list ends where the largest page would, and its count does not. */
export function pageOf<T>(
  given: Arguments,
  largest: number,
  name: string,
  all: readonly T[],
  show: (one: T) => JsonObject,
): Outcome {
  const page = given.number('page');
  const size = given.number('pagesize');
  if (page === undefined && size !== undefined && size !== unlimited) {
    throw malformed('"page" parameter is required when "pagesize" is specified');
  }
  if (size === undefined && page !== undefined) {
    throw malformed('"pagesize" parameter is required when "page" is specified');
  }
  if (size !== undefined && size > largest) {
    throw invalid(`Page size can't exceed max allowed page size value: ${largest}`);
  }
  if (size === unlimited && page !== undefined) {
    throw invalid("Can't specify page parameter when pagesize is -1 (Unlimited)");
  }
  const length = size === unlimited ? all.length : Math.max(0, size ?? largest);
  const from = Math.max(0, (page ?? 1) - 1) * length;
  return listOf(name, all.slice(from, from + length).map(show), all.length);
}
