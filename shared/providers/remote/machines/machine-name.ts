/**
 * Whose a machine is, in its name: most servers keep no tags, and a name is the one thing that every server keeps and lists.
 *
 *     web-7xk2p-pwaq3vn6h2c-mfrggzdfmztwq2lknnwg23tpobyxe43u-1
 *     claim     ^ ^         uid of the claim           attempt
 *               | deployment and cluster, as a hash: whoever asks knows them
 *               what is whole: `a` claim and uid as they are
 */
import { nodeCrypto } from '../../../base/node-modules.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { InstanceTags } from '../../contract.ts';

type Scope = Pick<InstanceTags, 'deployment' | 'cluster'>;

export interface NamedOwner {
  claimUid: string;
  attempt: number;
  /** As far as the name has room. */
  claimName: string;
  /** The name had room for all of it. */
  isWhole: boolean;
}

const longestName = 63;
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const scopeLength = 8;
/** Uids of Kubernetes are these; others are written as they are. */
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const marks = { a: [true, true], b: [true, false], c: [false, true], d: [false, false] } as const;
type Mark = keyof typeof marks;

export function machineNameFor(owner: InstanceTags, claimName: string): Result<string> {
  const isUuid = uuid.test(owner.claimUid);
  const bytes = isUuid ? Buffer.from(owner.claimUid.replaceAll('-', ''), 'hex') : Buffer.from(owner.claimUid);
  const ending = `${scopeOf(owner)}-${encoded(bytes)}-${owner.attempt.toString(36)}`;
  const room = longestName - ending.length - '-pwa'.length;
  if (room < 1) return failed('invalid', `the uid ${owner.claimUid} of claim ${claimName} is too long for a name`);
  const isPlain = /^[a-z][a-z0-9-]*$/.test(claimName) && !claimName.endsWith('-');
  const isWhole = isPlain && claimName.length <= room;
  const mark = (Object.keys(marks) as Mark[]).find((one) => marks[one][0] === isUuid && marks[one][1] === isWhole);
  return ok(`${isWhole ? claimName : readable(claimName, room)}-pw${mark}${ending}`);
}

/** Undefined: it is not a machine of this deployment in this cluster. */
export function ownerInName(name: string, scope: Scope): NamedOwner | undefined {
  const [, claimName, mark, hash, uid, attempt] =
    /^(.+)-pw([a-d])([a-z2-7]{8})-([a-z2-7]{1,48})-([0-9a-z]{1,6})$/.exec(name) ?? [];
  if (claimName === undefined || uid === undefined || attempt === undefined || hash !== scopeOf(scope)) return;
  const [isUuid, isWhole] = marks[mark as Mark];
  const bytes = decoded(uid);
  const number = Number.parseInt(attempt, 36);
  if (number < 1 || (isUuid && bytes.length !== 16)) return;
  return { claimUid: isUuid ? asUuid(bytes) : bytes.toString('utf8'), attempt: number, claimName, isWhole };
}

/** Forty bits: two deployments of one cluster are told apart, and two clusters behind one server. */
export const scopeOf = ({ deployment, cluster }: Scope): string =>
  encoded(
    nodeCrypto()
      .createHash('sha256')
      .update(JSON.stringify(['machine', deployment, cluster]))
      .digest(),
  ).slice(0, scopeLength);

function readable(claimName: string, room: number): string {
  const plain = claimName.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return `n${plain}`
    .replace(/^n(?=[a-z])/, '')
    .slice(0, room)
    .replace(/-+$/, '');
}

/** Base 32 in lower case, without padding. */
function encoded(bytes: Uint8Array): string {
  let [bits, held, text] = [0, 0, ''];
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31];
    held &= 31;
  }
  return bits === 0 ? text : text + alphabet[(held << (5 - bits)) & 31];
}

function decoded(text: string): Buffer {
  const bytes: number[] = [];
  let [bits, held] = [0, 0];
  for (const letter of text) {
    held = (held << 5) | alphabet.indexOf(letter);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 255);
    held &= (1 << bits) - 1;
  }
  return Buffer.from(bytes);
}

const asUuid = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
