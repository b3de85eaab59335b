/** The conditions of a class besides Ready, one for each part of it, and what each says. */
import type { NodeClassCondition } from '../../contract.ts';
import type { Found, NotReady } from './found.ts';
import type { ResolvedNetwork, ResolvedOffering, ResolvedTemplate, ResolvedZone } from './resolved.ts';

/** Undefined: not looked at, because what comes before is missing. */
export interface Parts {
  zones?: Found<ResolvedZone[]>;
  networks?: Found<{ networks: ResolvedNetwork[] }>;
  offerings?: Found<ResolvedOffering[]>;
  templates?: Found<{ templates: ResolvedTemplate[] }>;
}

export const partTypes = {
  zones: 'ZoneReady',
  networks: 'NetworkReady',
  offerings: 'ServiceOfferingReady',
  templates: 'TemplateReady',
} as const;

const mostNamed = 10;

export function conditionsOf({ zones, networks, offerings, templates }: Parts): NodeClassCondition[] {
  return [
    condition(partTypes.zones, zones, (found) => found.map(({ name }) => name)),
    condition(partTypes.networks, networks, (found) => found.networks.map(({ name }) => name)),
    condition(partTypes.offerings, offerings, (found) =>
      found.map(
        ({ name, matchedBy, capacityType }) => `${name} (${matchedBy}${capacityType === 'spot' ? ', spot' : ''})`,
      ),
    ),
    condition(partTypes.templates, templates, (found) => found.templates.map(({ name }) => name)),
  ];
}

/** All of them for one reason that has nothing to do with the class. */
export const unknownConditions = ({ reason, message }: NotReady): NodeClassCondition[] =>
  Object.values(partTypes).map((type) => ({ type, status: 'Unknown', reason, message }));

function condition<T>(
  type: string,
  part: Found<T> | undefined,
  names: (found: T) => readonly string[],
): NodeClassCondition {
  if (part === undefined) {
    return {
      type,
      status: 'Unknown',
      reason: 'NotChecked',
      message: 'not checked until the other conditions are true',
    };
  }
  if ('missing' in part) return { type, status: 'False', ...part.missing };
  const all = [...new Set(names(part.found))];
  const rest = all.length - mostNamed;
  const selected = `${all.slice(0, mostNamed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  return {
    type,
    status: 'True',
    message: part.note === undefined ? selected : `${selected}; ${part.note}`,
  };
}
