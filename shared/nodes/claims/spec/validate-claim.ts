/**
 * All that is wrong with a claim, as its author should hear it: from the webhook before it is stored, and in a condition
 * of a claim that was stored without us. Pure: what exists in the cluster or at a provider is not looked at.
 *
 * @example
 * const problems = validateClaim(claim, { nodeClasses: providers.flatMap((one) => one.nodeClasses) });
 * if (problems.length > 0) refuse(describeProblems(problems));
 */

import { parseDuration, parseNillableDuration } from '../../../base/durations.ts';
import { asObject } from '../../../base/json.ts';
import { type Problem, quoteInput } from '../../../base/problems.ts';
import { parseNodeClaim } from './claim-schema.ts';
import { contradictions } from './contradictions.ts';
import { isAllowedName, type NameLimits } from './name-limits.ts';
import { type KnownNodeClass, nodeClassProblems } from './node-class-ref.ts';
import { parseRequirements } from './requirements.ts';
import { parseResources } from './resources.ts';
import { restrictedKeyProblems, unknownCapacityTypes } from './restricted-keys.ts';
import { metadataSizeProblems, sizeProblems } from './size-limits.ts';
import { taintProblems } from './taint-problems.ts';
import type { Requirement, ResourceList } from './types.ts';
import { annotations } from './well-known.ts';

export interface ValidateOptions {
  /** The node classes that are served in this cluster. Without it a wrong kind can't be told from somebody else's. */
  nodeClasses?: readonly KnownNodeClass[];
  /** Where the provider names machines after their claims: what it accepts as a name. */
  names?: NameLimits;
}

type Fields = { readonly [field: string]: unknown };

/** Empty when nothing is wrong, and for a claim whose node class is somebody else's. */
export function validateClaim(claim: unknown, options: ValidateOptions = {}): Problem[] {
  const { metadata, spec } = asObject(claim) ?? {};
  const wishes = asObject(spec);
  const ofNodeClass = nodeClassProblems(wishes?.nodeClassRef, options.nodeClasses);
  if (ofNodeClass === 'foreign') return [];
  const tooMuch = [...metadataSizeProblems(metadata), ...sizeProblems(wishes ?? {}, 'spec')];
  if (tooMuch.length > 0) return tooMuch;
  const meaning = [...nameProblems(metadata, options.names), ...ofNodeClass, ...wishProblems(wishes ?? {})];
  meaning.push(...deadlineProblems(asObject(metadata)?.annotations));
  return [...meaning, ...shapeProblems(claim, meaning)];
}

/** The part of it that a pool's template shares with claims; `path` is where the spec stands. */
export function wishProblems(spec: Fields, path = 'spec'): Problem[] {
  const tooMuch = sizeProblems(spec, path);
  if (tooMuch.length > 0) return tooMuch;
  const written = wellShaped(spec.requirements);
  const at = `${path}.requirements`;
  const parsed = parseRequirements(written, at);
  const requests = asObject(asObject(spec.resources)?.requests);
  const resources = parseResources(
    requests === undefined ? undefined : onlyQuantities(requests),
    `${path}.resources.requests`,
  );
  return [
    ...(parsed.ok ? [] : parsed.problems),
    ...restrictedKeyProblems(written, at),
    ...unknownCapacityTypes(written, at),
    ...contradictions(written, at),
    ...(resources.ok ? [] : resources.problems),
    ...taintProblems(spec.taints, `${path}.taints`),
    ...taintProblems(spec.startupTaints, `${path}.startupTaints`),
    ...durationProblem(spec.expireAfter, `${path}.expireAfter`, parseNillableDuration, ', or Never'),
    ...durationProblem(spec.terminationGracePeriod, `${path}.terminationGracePeriod`, parseDuration),
  ];
}

/**
 * Requirements at their own places, so that a problem names the right one. One that is no requirement at all is replaced
 * by one that wishes nothing: the shape check speaks of it.
 */
function wellShaped(requirements: unknown): Requirement[] {
  if (!Array.isArray(requirements)) return [];
  return requirements.map((one: unknown): Requirement => {
    const { key, operator, values, minValues } = asObject(one) ?? {};
    if (typeof key !== 'string' || typeof operator !== 'string') return nothingWished;
    if (values !== undefined && values !== null && !isTexts(values)) return nothingWished;
    return {
      key,
      operator,
      ...(isTexts(values) ? { values } : {}),
      ...(typeof minValues === 'number' ? { minValues } : {}),
    };
  });
}

const nothingWished: Requirement = { key: 'nothing', operator: 'NotIn' };

function durationProblem(
  value: unknown,
  path: string,
  parse: (text: string) => { ok: true } | { ok: false; message: string },
  more = '',
): Problem[] {
  if (typeof value !== 'string') return [];
  const parsed = parse(value);
  return parsed.ok ? [] : [{ path, message: `${parsed.message}${more}` }];
}

const deadlineKeys = [annotations.launchDeadline, annotations.registrationDeadline, annotations.initializationDeadline];

const deadlineProblems = (written: unknown): Problem[] =>
  deadlineKeys.flatMap((key) =>
    durationProblem(asObject(written)?.[key], `metadata.annotations[${quoteInput(key)}]`, parseDuration),
  );

function nameProblems(metadata: unknown, limits: NameLimits | undefined): Problem[] {
  const name = asObject(metadata)?.name;
  if (limits === undefined || typeof name !== 'string' || name === '' || isAllowedName(name, limits)) return [];
  const { maxLength, pattern, firstLetter } = limits;
  const letters =
    pattern === 'dns-label' ? 'lowercase letters, digits and inner hyphens' : 'lowercase letters and digits';
  const first = firstLetter ? ', starting with a letter' : '';
  const message = `${quoteInput(name)} cannot be the name of an instance at the provider; use at most ${maxLength} ${letters}${first}`;
  return [{ path: 'metadata.name', message }];
}

/** What is not even shaped like a claim, but for what was said already. A claim that is not stored yet may lack name and uid. */
function shapeProblems(claim: unknown, said: readonly Problem[]): Problem[] {
  const fields = asObject(claim);
  const metadata = asObject(fields?.metadata);
  const complete =
    metadata === undefined
      ? claim
      : { ...fields, metadata: { ...metadata, name: metadata.name || 'new', uid: metadata.uid || 'new' } };
  const parsed = parseNodeClaim(complete);
  if (parsed.ok) return [];
  return parsed.problems.filter(({ path }) => !said.some((one) => one.path === path));
}

const onlyQuantities = (fields: Fields): ResourceList =>
  Object.fromEntries(
    Object.entries(fields).filter(
      (entry): entry is [string, string | number] => typeof entry[1] === 'string' || typeof entry[1] === 'number',
    ),
  );

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
