/** The pods of a Provider, and what we call them with. */
import { failed, ok, type Result } from '../../../../shared/base/result.ts';
import type { ProviderObject } from '../../../../shared/machines/core/objects.ts';
import { existingOf } from '../../../../shared/machines/runtime/existing.ts';
import { hostOf, portOf } from '../../../../shared/machines/runtime/object.ts';
import { emptyMemory } from '../../../../shared/machines/runtime/services.ts';
import { protectionOf } from '../../../../shared/machines/runtime/tls.ts';
import type { Reached } from './configured-server.ts';
import type { DriverParts, DriverPlace } from './drivers.ts';
import { certifier, openProvider } from './machine-providers.ts';

export function podsOf({ clock, log }: DriverParts) {
  const services = { clock, log, certifier, memory: emptyMemory(), open: openProvider };
  return async (
    { api, namespace }: DriverPlace,
    provider: ProviderObject,
    signal?: AbortSignal,
  ): Promise<Result<Reached>> => {
    const who = `Provider ${provider.metadata.namespace}/${provider.metadata.name}`;
    if (provider.status?.runtime?.phase !== 'Running') {
      const message = `${who} has no running pods yet; see its conditions, or name its address in machines.servers`;
      return failed('not-ready', message);
    }
    const place = { name: api.name, api, namespace };
    const existing = await existingOf(place, provider, signal);
    if (!existing.ok) return existing;
    const { name } = existing.value;
    const protection = await protectionOf(services, place, provider, name, signal);
    if (!protection.ok) {
      if ('failure' in protection) return { ok: false, error: protection.failure };
      const { code, message } = protection.problem;
      return failed('not-ready', `${who}: ${message}`, { reason: code });
    }
    const host = hostOf(provider, name);
    const { client } = protection.value;
    return ok({
      address: `${host}:${portOf(provider)}`,
      serverName: host,
      ...(client === undefined ? {} : { tls: { pem: client } }),
    });
  };
}
