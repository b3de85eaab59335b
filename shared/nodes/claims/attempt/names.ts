/**
 * Names and idempotency tokens of instances. Both derive from claim uid and attempt number alone, so that whoever repeats
 * a step, on whatever machine, asks for the same thing. The claim's name is in it only for people.
 */
import { nodeCrypto } from '../../../base/node-modules.ts';
import { isAllowedName, type NameLimits } from '../spec/name-limits.ts';

/** Below this, too little of the hash would remain to keep two names apart. */
const shortestNameLimit = 10;
/** 65 bits: far beyond the number of attempts that any provider account will ever see. */
const hashLength = 13;
const tokenHashLength = 40;

/** The name of the instance of one attempt. Another uid or attempt gives another name. */
export function instanceName(of: { claimName: string; uid: string; attempt: number }, limits: NameLimits): string {
  return compose(of.claimName, `${of.uid}/${checkedAttempt(of.attempt)}`, limits);
}

/**
 * The name where one name serves all attempts of a claim: the claim's own if the provider accepts it (people look for
 * it there), else one made from it and the uid.
 */
export function claimScopedName(of: { claimName: string; uid: string }, limits: NameLimits): string {
  return isAllowedName(of.claimName, limits) ? of.claimName : compose(of.claimName, of.uid, limits);
}

/** At most 64 ASCII characters, the same for every repetition of one attempt. */
export const instanceToken = (uid: string, attempt: number): string =>
  `poolwright-${nodeCrypto()
    .createHash('sha256')
    .update(`token/${uid}/${checkedAttempt(attempt)}`)
    .digest('hex')
    .slice(0, tokenHashLength)}`;

function compose(claimName: string, identity: string, limits: NameLimits): string {
  if (limits.maxLength < shortestNameLimit) {
    throw new RangeError(
      `a provider that allows only ${limits.maxLength} characters in a name can't tell attempts apart`,
    );
  }
  const separator = limits.pattern === 'dns-label' ? '-' : '';
  // One letter always stays in front of the hash, which may begin with a digit.
  const hash = letterHash(identity).slice(0, Math.min(hashLength, limits.maxLength - 1 - separator.length));
  const room = limits.maxLength - hash.length - separator.length;
  return `${readablePart(claimName, limits, room)}${separator}${hash}`;
}

/** What is left of a claim's name within the limits; never empty. */
function readablePart(claimName: string, { pattern, firstLetter }: NameLimits, room: number): string {
  const plain = claimName
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, pattern === 'dns-label' ? '-' : '');
  const trimmed = plain.replace(/^-+/, '');
  const started = trimmed === '' || (firstLetter && !/^[a-z]/.test(trimmed)) ? `n${trimmed}` : trimmed;
  return started.slice(0, room).replace(/-+$/, '');
}

/** Base 32 in lower case: five bits a character, and nothing that a provider could refuse. */
function letterHash(text: string): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
  let result = '';
  for (const byte of nodeCrypto().createHash('sha256').update(text).digest()) result += alphabet[byte & 31];
  return result;
}

function checkedAttempt(attempt: number): number {
  if (!Number.isSafeInteger(attempt) || attempt < 1) throw new RangeError(`${attempt} is not an attempt number`);
  return attempt;
}
