/**
 * An image that is not at the hypervisor yet is brought there once, however many machines need it. What was begun stands on the VMImage,
 * written before the provider is asked.
 */
import { fingerprint } from '../../base/fingerprint.ts';
import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Result } from '../../base/result.ts';
import type { MachineImage } from '../../drivers/machine-spec.ts';
import { toWireTime } from '../../kube/conditions.ts';
import { machineKinds } from '../api/kinds.ts';
import { machineReasons } from '../core/marks.ts';
import type { VirtualMachine, VMImage } from '../core/objects.ts';
import type { AdvanceResult } from '../steps/answers.ts';
import { afterConflict, hold } from '../steps/life.ts';
import { again, againAfter, logFor } from '../steps/place.ts';
import type { Keeping } from './keep.ts';

const annotation = 'poolwright.dev/image-record';
/** Longer than a call that prepares may take: after it, whoever began is gone, and it is asked for again under the same name. */
const begunSeconds = 330;
const waitingSeconds = 15;
const taskSeconds = 2;

/** By the name of the provider. */
interface Preparation {
  source: string;
  at: number;
  task?: string | undefined;
  id?: string | undefined;
  path?: string | undefined;
  done?: boolean;
}

export async function prepareImage(
  keeping: Keeping,
  machine: VirtualMachine,
): Promise<{ image: MachineImage } | { answer: AdvanceResult }> {
  const { life, driver, dependencies, wanted } = keeping;
  const { services, place, signal } = life;
  if (!wanted.image.imported || dependencies.image === undefined) return { image: wanted.spec.image };
  const { namespace, name } = dependencies.image.metadata;
  const read = await place.api.get<VMImage>(machineKinds.image, { namespace, name }, signal);
  if (!read.ok) return { answer: againAfter(read.error) };
  const image = read.value;
  const key = dependencies.provider.metadata.name;
  const source = fingerprint(image.spec.source);
  const begun = preparationsOf(image)[key];
  const known = begun?.source === source ? begun : undefined;
  const ready = image.status?.providerStatus?.[key];
  // Somebody else has prepared it, such as VirtRigaud.
  if (begun === undefined && ready?.available === true) return { image: prepared(wanted.spec.image, ready) };
  if (known?.done === true) return { image: prepared(wanted.spec.image, known) };
  const { onMissing = 'Import' } = image.spec.prepare ?? {};
  if (onMissing !== 'Import') {
    const message = `VMImage ${namespace}/${name} is not at the provider, and its prepare.onMissing is ${onMissing}; set it to Import, or bring the image there`;
    const reason = onMissing === 'Wait' ? machineReasons.waiting : 'MachineImageInvalid';
    return { answer: await hold(life, machine, { reason, message, seconds: waitingSeconds }) };
  }
  const waiting = `VMImage ${namespace}/${name} is being prepared`;
  const now = services.clock.now();
  if (known === undefined || (known.task === undefined && now - known.at > begunSeconds * 1000)) {
    const noted = await note(keeping, image, key, { source, at: now });
    if (!noted.ok) return { answer: afterConflict(noted.error) };
    const { image: asked, storage } = wanted.image;
    const target = `${namespace}-${name}-${source.slice(0, 8)}`;
    const answer = await driver.prepareImage(
      asked,
      { name: target, ...(storage === undefined ? {} : { storage }) },
      signal,
    );
    if (!answer.ok) return { answer: await imageFails(keeping, machine, noted.value, key, answer.error.message) };
    const { task, id, path } = answer.value;
    const begunNow = { source, at: now, task, id, path, done: task === undefined };
    const written = await note(keeping, noted.value, key, begunNow);
    if (!written.ok) return { answer: afterConflict(written.error) };
    if (task === undefined) return await finish(keeping, written.value, key, begunNow);
    await sayImage(keeping, written.value, { phase: 'Importing', ready: false, prepareTaskRef: task });
    return { answer: again(taskSeconds, waiting) };
  }
  if (known.task === undefined) return { answer: again(taskSeconds, waiting) };
  const state = await driver.task(known.task, signal);
  if (!state.ok && state.error.kind !== 'not-found') return { answer: againAfter(state.error) };
  if (state.ok && state.value.error !== undefined) {
    return { answer: await imageFails(keeping, machine, image, key, state.value.error) };
  }
  if (state.ok && !state.value.done) return { answer: again(taskSeconds, waiting) };
  const written = await note(keeping, image, key, { ...known, done: true });
  return written.ok ? await finish(keeping, written.value, key, known) : { answer: afterConflict(written.error) };
}

async function finish({ life, wanted, ...rest }: Keeping, image: VMImage, key: string, { id, path }: Preparation) {
  const at = toWireTime(life.services.clock.now());
  const of = {
    available: true,
    lastUpdated: at,
    ...(id === undefined ? {} : { id }),
    ...(path === undefined ? {} : { path }),
  };
  // For people: what counts is the note.
  await sayImage({ life, wanted, ...rest }, image, {
    phase: 'Ready',
    ready: true,
    prepareTaskRef: null,
    lastPrepareTime: at,
    providerStatus: { [key]: of },
  });
  return { image: prepared(wanted.spec.image, { id, path }) };
}

/** A new one is begun when the machine is tried again. */
async function imageFails(keeping: Keeping, machine: VirtualMachine, image: VMImage, key: string, problem: string) {
  const { life } = keeping;
  logFor(life.services, life.ref).write('machine.image.failed', { image: image.metadata.name, problem });
  const { [key]: _, ...others } = preparationsOf(image);
  const forgotten = await patchAnnotation(keeping, image, others);
  if (!forgotten.ok) return afterConflict(forgotten.error);
  await sayImage(keeping, forgotten.value, { phase: 'Failed', ready: false, message: problem, prepareTaskRef: null });
  const message = `VMImage ${image.metadata.namespace}/${image.metadata.name} could not be prepared: ${problem}`;
  return await hold(life, machine, { reason: 'MachineImageFailed', message, seconds: waitingSeconds });
}

const prepared = (
  image: MachineImage,
  { id, path }: { id?: string | undefined; path?: string | undefined },
): MachineImage => {
  if (id === undefined && path === undefined) return image;
  const { url: _, ...rest } = image;
  return { ...rest, ...(id === undefined ? {} : { templateName: id }), ...(path === undefined ? {} : { path }) };
};

function preparationsOf({ metadata }: VMImage): Record<string, Preparation> {
  try {
    const read: unknown = JSON.parse(metadata.annotations?.[annotation] ?? '{}');
    return isObject(read) ? (read as unknown as Record<string, Preparation>) : {};
  } catch {
    return {};
  }
}

const note = (keeping: Keeping, image: VMImage, key: string, preparation: Preparation): Promise<Result<VMImage>> =>
  patchAnnotation(keeping, image, { ...preparationsOf(image), [key]: preparation });

function patchAnnotation(
  { life }: Keeping,
  image: VMImage,
  all: Record<string, Preparation>,
): Promise<Result<VMImage>> {
  const { namespace, name, uid, resourceVersion } = image.metadata;
  const annotations = { [annotation]: JSON.stringify(all) };
  const patch: Json = { metadata: { uid, resourceVersion, annotations } };
  return life.place.api.mergePatch<VMImage>(machineKinds.image, { namespace, name }, patch, {}, life.signal);
}

function sayImage({ life }: Keeping, { metadata }: VMImage, status: JsonObject): Promise<Result<VMImage>> {
  const { namespace, name } = metadata;
  return life.place.api.mergePatch<VMImage>(
    machineKinds.image,
    { namespace, name },
    { status },
    { subresource: 'status' },
    life.signal,
  );
}
