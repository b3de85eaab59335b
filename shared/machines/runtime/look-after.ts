/**
 * One round over the Providers of a cluster: what each one needs is put there, each is asked for its health, and its status is written. Every step
 * may run twice and may be killed anywhere: objects are applied, Secrets are made under names that say what is in them.
 */
import { fingerprint } from '../../base/fingerprint.ts';
import { inParallel } from '../../base/in-parallel.ts';
import { type Failure, failed, ok, type Result } from '../../base/result.ts';
import { failureCodes } from '../../kube/contract.ts';
import { listAll } from '../../kube/list-all.ts';
import { machineKinds } from '../api/kinds.ts';
import type { ProviderStatus } from '../api/provider.ts';
import { applyRuntime } from './apply.ts';
import { existingOf } from './existing.ts';
import { healthIntervalSeconds, hostOf, type ProviderObject, portOf, seconds } from './object.ts';
import { type Probed, probe } from './probe.ts';
import { problemIn } from './problems.ts';
import { hold, isHeld, isLeaving, release } from './remove.ts';
import { isRolledOut, isRunning, type Round } from './round.ts';
import type { ProviderPlace, ProviderServices } from './services.ts';
import { nextStatus } from './status.ts';
import { type Protected, protectionOf } from './tls.ts';
import { troubleOf } from './trouble.ts';
import { providerKey, usersOf } from './users.ts';

/** A provider that does not answer must not hold up the others. */
const width = 8;

export async function lookAfterProviders(
  services: ProviderServices,
  place: ProviderPlace,
  signal: AbortSignal,
): Promise<void> {
  const log = services.log.child({ cluster: place.name, function: 'machine-providers' });
  const providers: ProviderObject[] = [];
  const reader = { onStart: () => void providers.splice(0), onItem: (one: ProviderObject) => void providers.push(one) };
  const listed = await listAll<ProviderObject>(place.api, machineKinds.provider, {}, reader, signal);
  if (!listed.ok) {
    // Most clusters have no such kind.
    if (listed.error.code !== failureCodes.notServed)
      log.write('providers.undecided', { problem: listed.error.message });
    return;
  }
  if (providers.length === 0) return;
  const users = await usersOf(place, signal);
  if (!users.ok) return log.write('providers.undecided', { problem: users.error.message });
  const work = async (provider: ProviderObject): Promise<void> => {
    const { namespace, name } = provider.metadata;
    const machines = users.value.get(providerKey(namespace, name)) ?? 0;
    const done = await lookAfterProvider(services, place, provider, machines, signal).catch((error: unknown) =>
      failed('unavailable', error instanceof Error ? error.message : String(error)),
    );
    if (!done.ok) log.write('provider.undecided', { provider: `${namespace}/${name}`, problem: done.error.message });
  };
  await inParallel(providers, width, work, () => signal.aborted);
}

/** Fails when the cluster did not answer: nothing is known then, so nothing is said on the object. */
export async function lookAfterProvider(
  services: ProviderServices,
  place: ProviderPlace,
  read: ProviderObject,
  machines: number,
  signal: AbortSignal,
): Promise<Result<unknown>> {
  let provider = read;
  if (isLeaving(provider)) {
    if (!isHeld(provider)) return ok(undefined);
    if (machines === 0) return release(place, provider, signal);
    return report(services, place, provider, { machines, removing: { waitsFor: machines } }, signal);
  }
  if (!isHeld(provider)) {
    const held = await hold(place, provider, signal);
    // Someone else changed it since; the next round has the new one.
    if (!held.ok) return held.error.kind === 'conflict' ? ok(undefined) : held;
    provider = held.value;
  }
  const round = await roundOf(services, place, provider, signal);
  return round.ok ? report(services, place, provider, { ...round.value, machines }, signal) : round;
}

async function roundOf(
  services: ProviderServices,
  place: ProviderPlace,
  provider: ProviderObject,
  signal: AbortSignal,
): Promise<Result<Round>> {
  const wrong = problemIn(provider);
  if (wrong) return ok({ problem: wrong });
  const existing = await existingOf(place, provider, signal);
  if (!existing.ok) return existing;
  const { name, selector } = existing.value;
  const tls = await protectionOf(services, place, provider, name, signal);
  if (!tls.ok) return 'problem' in tls ? ok({ problem: tls.problem }) : unanswered(tls.failure);
  const plan = { provider, name, selector, tls: tls.value.runtime };
  const applied = await applyRuntime(services, place, plan, existing.value, signal);
  const round: Round = { tls: { how: tls.value.how } };
  if (!applied.ok) {
    return 'problem' in applied ? ok({ ...round, problem: applied.problem }) : unanswered(applied.failure);
  }
  const deployment = applied.value;
  const trouble = isRolledOut(deployment) ? undefined : await troubleOf(place, provider, selector, signal);
  const runtime = { name, deployment, ...(trouble ? { trouble } : {}) };
  if (!isRunning(deployment) || !isDue(services, provider)) return ok({ ...round, runtime });
  return ok({ ...round, runtime, probed: await asked(services, provider, name, tls.value, signal) });
}

const unanswered = ({ message }: Pick<Failure, 'message'>): Result<never> => failed('unavailable', message);

/** As often as its author wants; and at once after something has changed. */
function isDue({ clock }: ProviderServices, provider: ProviderObject): boolean {
  const { healthCheck } = provider.spec;
  const { lastHealthCheck, conditions = [], observedGeneration } = provider.status ?? {};
  if (lastHealthCheck === undefined || observedGeneration !== provider.metadata.generation) return true;
  if (healthCheck?.enabled === false) return false;
  const connected = conditions.find(({ type }) => type === 'Connected');
  if (connected?.reason === 'RuntimeNotReady') return true;
  return clock.now() - Date.parse(lastHealthCheck) >= healthIntervalSeconds(provider) * 1000;
}

async function asked(
  services: ProviderServices,
  provider: ProviderObject,
  name: string,
  { client }: Protected,
  signal: AbortSignal,
): Promise<Probed> {
  const host = hostOf(provider, name);
  const channel = services.open({
    address: `${host}:${portOf(provider)}`,
    serverName: host,
    ...(client ? { tls: client } : {}),
  });
  try {
    return await probe(channel, seconds(provider.spec.healthCheck?.timeout, 10), signal);
  } finally {
    channel.close();
  }
}

const refOf = ({ metadata: { name, namespace } }: ProviderObject) => ({ name, namespace });

/** Only if something has changed: a write wakes whoever watches. */
async function report(
  { clock }: ProviderServices,
  { api }: ProviderPlace,
  provider: ProviderObject,
  round: Round,
  signal: AbortSignal,
): Promise<Result<unknown>> {
  const before = provider.status ?? {};
  const status: ProviderStatus = nextStatus(provider, round, clock.now());
  if (fingerprint(status) === fingerprint(before)) return ok(undefined);
  const { resourceVersion } = provider.metadata;
  const patch = { metadata: { resourceVersion }, status: JSON.parse(JSON.stringify(status)) };
  const written = await api.mergePatch(
    machineKinds.provider,
    refOf(provider),
    patch,
    { subresource: 'status' },
    signal,
  );
  if (written.ok || written.error.kind === 'conflict' || written.error.kind === 'not-found') return ok(undefined);
  return written;
}
