/** Reads the spec of a CloudStackNodeClass. Everything that is wrong is told at once, with the field and what to do. */
import { isIPv4 } from 'node:net';
import type { Json } from '../../../base/json.ts';
import { failedBy, type Problem } from '../../../base/problems.ts';
import { ok, type Result } from '../../../base/result.ts';
import { parseSpec } from '../../node-class-spec.ts';
import { type CloudStackNodeClassSpec, cloudStackNodeClassSchema } from './schema.ts';
import { tagProblems } from './schema-tags.ts';
import { templateProblems } from './user-data.ts';

const fields = Object.keys(cloudStackNodeClassSchema.shape);

/** @returns `invalid` with one problem for each mistake. */
export function parseNodeClass(spec: Json): Result<CloudStackNodeClassSpec> {
  const parsed = parseSpec(cloudStackNodeClassSchema, spec, fields);
  if (!parsed.ok) return failedBy(parsed.problems);
  const problems = togetherProblems(parsed.value);
  return problems.length === 0 ? ok(parsed.value) : failedBy(problems);
}

/** As the class names them: names or ids. */
export const zonesOf = ({ zone, zones }: Pick<CloudStackNodeClassSpec, 'zone' | 'zones'>): readonly string[] =>
  zones ?? (zone === undefined ? [] : [zone]);

function togetherProblems(spec: CloudStackNodeClassSpec): Problem[] {
  return [
    ...zoneProblems(spec),
    ...termProblems(spec.networkSelectorTerms, 'networkSelectorTerms', ['tags', 'id', 'name']),
    ...termProblems(spec.serviceOfferingSelectorTerms, 'serviceOfferingSelectorTerms', ['tags', 'id', 'name']),
    ...termProblems(spec.spotOfferingSelectorTerms ?? [], 'spotOfferingSelectorTerms', ['tags', 'id', 'name']),
    ...termProblems(spec.templateSelectorTerms, 'templateSelectorTerms', ['tags', 'id', 'name', 'osType']),
    ...sizeProblems(spec),
    ...bootProblems(spec),
    ...addressProblems(spec),
    ...templateProblems(spec),
    ...tagProblems(spec.tags ?? {}),
  ];
}

function zoneProblems({ zone, zones }: CloudStackNodeClassSpec): Problem[] {
  if (zone === undefined && zones === undefined) {
    return [{ path: 'spec.zone', message: 'is required: name a zone here, or several in spec.zones' }];
  }
  if (zone !== undefined && zones !== undefined) {
    return [{ path: 'spec.zones', message: 'cannot be combined with spec.zone; set only one of them' }];
  }
  const twice = zones?.find((one, at) => zones.indexOf(one) !== at);
  return twice === undefined ? [] : [{ path: 'spec.zones', message: `names ${twice} twice; remove one of them` }];
}

function termProblems(
  terms: readonly Readonly<Record<string, unknown>>[],
  name: string,
  oneOf: readonly string[],
): Problem[] {
  return terms.flatMap((term, index): Problem[] => {
    const path = `spec.${name}[${index}]`;
    const { tags } = term;
    if (typeof tags === 'object' && tags !== null && Object.keys(tags).length === 0) {
      return [{ path: `${path}.tags`, message: 'is empty and would match everything; name a tag, or remove it' }];
    }
    if (oneOf.some((field) => term[field] !== undefined)) return [];
    return [{ path, message: `selects nothing; set one of ${oneOf.join(', ')}` }];
  });
}

function sizeProblems({ details = [] }: CloudStackNodeClassSpec): Problem[] {
  const seen = new Set<string>();
  return details.flatMap(({ cpuNumber, memory, cpuSpeed }, index): Problem[] => {
    const key = `${cpuNumber}/${memory}/${cpuSpeed ?? ''}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [{ path: `spec.details[${index}]`, message: 'is there twice; remove one of them' }];
  });
}

function bootProblems({ boot }: CloudStackNodeClassSpec): Problem[] {
  if (boot?.mode !== 'Secure' || boot.type === 'UEFI') return [];
  return [{ path: 'spec.boot.mode', message: 'Secure needs boot.type UEFI; change one of them' }];
}

function addressProblems({ staticAddresses = [] }: CloudStackNodeClassSpec): Problem[] {
  const networks = staticAddresses.map(({ network }) => network);
  return staticAddresses.flatMap(({ network, addresses }, index): Problem[] => {
    const path = `spec.staticAddresses[${index}]`;
    if (networks.indexOf(network) !== index) {
      return [{ path: `${path}.network`, message: `${network} is there twice; put its addresses into one entry` }];
    }
    return addresses.flatMap((text, at) => {
      if (addressRange(text) !== undefined) return [];
      const message = 'must be an IPv4 address such as 10.1.0.20, or a range such as 10.1.0.20-10.1.0.59';
      return [{ path: `${path}.addresses[${at}]`, message }];
    });
  });
}

/** First and last address as numbers, both included; undefined for what is no range. */
export function addressRange(text: string): { first: number; last: number } | undefined {
  const [from = '', to = from, ...more] = text.split('-').map((part) => part.trim());
  if (more.length > 0 || !isIPv4(from) || !isIPv4(to)) return undefined;
  const [first, last] = [numberOf(from), numberOf(to)];
  return first <= last ? { first, last } : undefined;
}

const numberOf = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
