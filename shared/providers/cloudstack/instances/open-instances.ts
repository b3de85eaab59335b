/** The half of the provider that makes, finds and ends machines. */
import { failed } from '../../../base/result.ts';
import type { CloudStackParts, InstanceSide } from '../parts.ts';

const notYet = async () => failed('unavailable', 'machines of CloudStack cannot be made yet');

export const openInstances = (_parts: CloudStackParts): InstanceSide => ({
  beginCreate: notYet,
  pollCreate: notYet,
  beginDelete: notYet,
  pollDelete: notYet,
  find: notYet,
  get: notYet,
  list: notYet,
  adopt: notYet,
});
