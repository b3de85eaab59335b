/**
 * The provider before its code is loaded. Whoever only wants to know whose a claim is (a watcher) is answered from what is known
 * without AWS; the rest comes with the first call that needs it.
 */
import { errorText } from '../../base/error-text.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { Provider } from '../contract.ts';
import { foundWrong } from '../findings.ts';
import type { Ec2Facts } from './facts.ts';
import type { Ec2Provider } from './provider.ts';

export function lazyEc2(facts: Ec2Facts, load: () => Promise<Ec2Provider>): Provider & { close(): void } {
  let opened: Promise<Ec2Provider> | undefined;
  const open = async (): Promise<Result<Ec2Provider>> => {
    opened ??= load();
    const opening = opened;
    try {
      return ok(await opening);
    } catch (error) {
      // It may be there the next time.
      if (opened === opening) opened = undefined;
      const cause = errorText(error);
      return failed('unavailable', 'the code of provider ec2 could not be loaded', { cause });
    }
  };
  const there = async <T>(act: (provider: Ec2Provider) => Promise<Result<T>>): Promise<Result<T>> => {
    const provider = await open();
    return provider.ok ? act(provider.value) : provider;
  };
  return {
    ...facts,
    place: () => there((provider) => provider.place()),
    roomToCreate: (token, signal) => there((provider) => provider.roomToCreate(token, signal)),
    beginCreate: (request, signal) => there((provider) => provider.beginCreate(request, signal)),
    pollCreate: (handle, signal) => there((provider) => provider.pollCreate(handle, signal)),
    beginDelete: (target, signal) => there((provider) => provider.beginDelete(target, signal)),
    pollDelete: (handle, signal) => there((provider) => provider.pollDelete(handle, signal)),
    find: (claim, signal) => there((provider) => provider.find(claim, signal)),
    get: (owner, providerID, signal) => there((provider) => provider.get(owner, providerID, signal)),
    list: (owner, page, signal) => there((provider) => provider.list(owner, page, signal)),
    instanceTypes: (nodeClass, signal) => there((provider) => provider.instanceTypes(nodeClass, signal)),
    resolveNodeClass: (nodeClass, signal) => there((provider) => provider.resolveNodeClass(nodeClass, signal)),
    adopt: (claim, providerID, how, signal) => there((provider) => provider.adopt(claim, providerID, how, signal)),
    check: async (owner, signal) => {
      const provider = await open();
      const repair = 'install the package that the message names';
      return provider.ok ? provider.value.check(owner, signal) : [foundWrong('code', provider.error, repair)];
    },
    close: () => {
      // What could not be opened needs no closing.
      opened?.then((provider) => provider.close()).catch(() => undefined);
      opened = undefined;
    },
  };
}
