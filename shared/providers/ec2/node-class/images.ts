/** The images that the terms of a class find: one for each architecture and kind of machine, the newest of each. */

import type { Image } from '@aws-sdk/client-ec2';
import { defined } from '../../../base/defined.ts';
import { ok, type Result } from '../../../base/result.ts';
import type { Ec2Calls } from '../calls/calls.ts';
import { allPages } from '../calls/pages.ts';
import type { ImageParameter } from './alias-parameters.ts';
import type { Arch, ImageVariant, ResolvedAmi } from './resolved.ts';
import type { AmiTerm } from './schema.ts';
import { askAll, type Question, questionsOf } from './terms.ts';

/** Whose images a term without an owner means: nobody gets the image of a stranger who took a well-known name. */
const usualOwners = ['amazon', 'self'];

/** SSM gives so many parameters at once. */
const parametersPerCall = 10;

/** The values of parameters, by name; those that do not exist are not there. */
export async function readParameters(
  calls: Pick<Ec2Calls, 'ssm'>,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Result<Record<string, string>>> {
  const values: Record<string, string> = {};
  for (let from = 0; from < names.length; from += parametersPerCall) {
    const Names = names.slice(from, from + parametersPerCall);
    const answer = await calls.ssm('GetParameters', { Names }, signal);
    if (!answer.ok) return answer;
    for (const { Name, ARN, Selector = '', Value } of answer.value.Parameters ?? []) {
      // Who asks by ARN is answered by name, and a version or label (`name:3`) comes back as a field of its own.
      for (const key of [Name, ARN]) {
        if (key !== undefined && Value !== undefined) values[key + Selector.replace(/^(?=[^:])/, ':')] = Value.trim();
      }
    }
  }
  return ok(values);
}

/** The images of an alias, of which the ids are known from its parameters. */
export async function imagesOfAlias(
  calls: Pick<Ec2Calls, 'ec2'>,
  parameters: readonly ImageParameter[],
  ids: Readonly<Record<string, string>>,
  now: number,
  signal: AbortSignal,
): Promise<Result<ResolvedAmi[]>> {
  const wanted = [...new Set(parameters.flatMap(({ name }) => ids[name] ?? []))];
  if (wanted.length === 0) return ok([]);
  const described = await imagesById(calls, wanted, signal);
  if (!described.ok) return described;
  const byId = new Map(described.value.map((image) => [image.id, image]));
  const amis = parameters.flatMap(({ name, variants }) => {
    const image = byId.get(ids[name] ?? '');
    return image === undefined ? [] : variants.map((variant): ResolvedAmi => ({ ...image, variant }));
  });
  return ok(bestOfEach(amis, now));
}

function imagesById(
  calls: Pick<Ec2Calls, 'ec2'>,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Result<ResolvedAmi[]>> {
  const question = { filters: [{ Name: 'image-id', Values: [...ids].sort() }], terms: [] };
  return describe(calls, question, undefined, signal);
}

/** The images that terms by id, name, owner and tags find. */
export async function imagesOfTerms(
  calls: Pick<Ec2Calls, 'ec2'>,
  terms: readonly AmiTerm[],
  now: number,
  signal: AbortSignal,
): Promise<Result<ResolvedAmi[]>> {
  const questions = questionsOf<AmiTerm>(terms, { id: 'image-id', name: 'name' });
  const found = await askAll(questions, (question) => {
    const [term] = question.terms;
    const owners = term?.id === undefined ? (term?.owner === undefined ? usualOwners : [term.owner]) : undefined;
    return describe(calls, question, owners, signal);
  });
  return found.ok ? ok(bestOfEach(found.value, now)) : found;
}

function describe(
  calls: Pick<Ec2Calls, 'ec2'>,
  { filters }: Question<AmiTerm>,
  owners: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<Result<ResolvedAmi[]>> {
  return allPages<ResolvedAmi>(async (token) => {
    const input = {
      Filters: [...filters, { Name: 'state', Values: ['available'] }],
      // A class that names an old image goes on working; its status says that the image is deprecated.
      IncludeDeprecated: true,
      ...(owners === undefined ? {} : { Owners: [...owners] }),
      ...(token ? { NextToken: token } : {}),
    };
    const page = await calls.ec2('DescribeImages', input, signal);
    if (!page.ok) return page;
    return ok({ items: (page.value.Images ?? []).flatMap(toAmi), next: page.value.NextToken });
  });
}

function toAmi(image: Image): ResolvedAmi[] {
  const arch: Arch | undefined =
    image.Architecture === 'x86_64' ? 'amd64' : image.Architecture === 'arm64' ? 'arm64' : undefined;
  if (image.ImageId === undefined || arch === undefined) return [];
  const ends = image.DeprecationTime;
  return [
    {
      id: image.ImageId,
      name: image.Name ?? '',
      arch,
      createdAt: image.CreationDate ?? '',
      ...defined({ deprecatedAt: ends, rootDevice: image.RootDeviceName }),
    },
  ];
}

export const isDeprecated = ({ deprecatedAt }: ResolvedAmi, now: number): boolean =>
  deprecatedAt !== undefined && Date.parse(deprecatedAt) <= now;

/** Newest first, deprecated ones last; of those for the same machines only the first is left. */
function bestOfEach(amis: readonly ResolvedAmi[], now: number): ResolvedAmi[] {
  const best = new Map<string, ResolvedAmi>();
  const sorted = amis.toSorted(
    (a, b) => Number(isDeprecated(a, now)) - Number(isDeprecated(b, now)) || newestFirst(a, b),
  );
  for (const ami of sorted) {
    const key = `${ami.arch}/${ami.variant ?? ''}`;
    if (!best.has(key)) best.set(key, ami);
  }
  return [...best.values()];
}

const newestFirst = (a: ResolvedAmi, b: ResolvedAmi): number =>
  byText(b.createdAt, a.createdAt) ||
  byText(a.name, b.name) ||
  byText(a.id, b.id) ||
  byText(a.variant ?? '', b.variant ?? '');

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** What a machine needs of its image. */
export interface ImageWish {
  arch: Arch;
  /** GPUs of any maker, or accelerators of AWS itself; Gaudi and the like bring their own drivers. */
  variant: ImageVariant;
}

/** The newest image for such machines. */
export const imageFor = (amis: readonly ResolvedAmi[], { arch, variant }: ImageWish): ResolvedAmi | undefined =>
  amis.find((ami) => ami.arch === arch && (ami.variant === undefined || ami.variant === variant));
