/** The register of clusters in the state port. Two requests that want one name at the same moment are told apart by compare-and-set. */
import { failed, ok, type Result } from '../../base/result.ts';
import type { State } from '../../state/contract.ts';
import type { ClusterRegister, RegisteredCluster } from './contract.ts';

export interface RegisterParts {
  state: State;
  /** Names of the clusters of the configuration. */
  configured: readonly string[];
}

const prefix = 'registered-cluster/';
const keyOf = (name: string): string => `${prefix}${name}`;

export function clusterRegister({ state, configured }: RegisterParts): ClusterRegister {
  const inState = async <T>(work: () => Promise<Result<T>>): Promise<Result<T>> => {
    try {
      return await work();
    } catch (error) {
      return failed('unavailable', 'the register of clusters could not be read or written', { cause: String(error) });
    }
  };
  return {
    registerCluster: (record) =>
      inState(async () => {
        const { name } = record;
        if (configured.includes(name)) {
          return failed('conflict', `the configuration has a cluster ${name} already; give the request another name`, {
            lasting: true,
          });
        }
        for (;;) {
          const there = await state.get<RegisteredCluster>(keyOf(name));
          const before = there?.value;
          const refusal = before && refusalOf(before, record);
          if (refusal !== undefined) return failed('conflict', refusal, { lasting: true });
          if (before !== undefined && JSON.stringify(before) === JSON.stringify(record)) return ok(undefined);
          const put = await state.put(keyOf(name), record, { ifVersion: there?.version ?? null });
          if (put !== undefined) return ok(undefined);
        }
      }),

    unregisterCluster: (name, request) =>
      inState(async () => {
        for (;;) {
          const there = await state.get<RegisteredCluster>(keyOf(name));
          if (there === undefined) return ok(undefined);
          const { request: holder } = there.value;
          if (holder.uid !== request.uid) {
            const who = `${holder.namespace}/${holder.name}`;
            return failed('conflict', `cluster ${name} was registered by the request ${who}, not by this one`, {
              lasting: true,
            });
          }
          if (await state.delete(keyOf(name), { ifVersion: there.version })) return ok(undefined);
        }
      }),

    list: () =>
      inState(async () => {
        const found: RegisteredCluster[] = [];
        let after: string | undefined;
        do {
          const page = await state.list<RegisteredCluster>(prefix, after === undefined ? {} : { after });
          found.push(...page.items.map(({ value }) => value));
          after = page.next;
        } while (after !== undefined);
        return ok(found.filter(({ name }) => !configured.includes(name)));
      }),
  };
}

function refusalOf(before: RegisteredCluster, now: RegisteredCluster): string | undefined {
  const { request, uid, name } = before;
  if (request.uid !== now.request.uid) {
    return `cluster ${name} is registered by the request ${request.namespace}/${request.name}; give this request another name`;
  }
  return uid === now.uid
    ? undefined
    : `cluster ${name} was registered with uid ${uid}, and reports ${now.uid} now: another cluster answers at its address`;
}
