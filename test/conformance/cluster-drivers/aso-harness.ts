import { countingIds, manualClock, seededRandom } from '../../../shared/base/runtime.ts';
import { createAsoDriver } from '../../../shared/clusters/drivers/aso/driver.ts';
import { connectCluster } from '../../../shared/kube/client/http.ts';
import { type ClusterApi, namespaces } from '../../../shared/kube/contract.ts';
import { silentLog } from '../../../shared/observe/log/log.ts';
import { startAso } from '../../../sim/aso/aso.ts';
import { installDefinitions } from '../../../sim/aso/definitions.ts';
import { startClusterApi } from '../../../sim/cluster/server.ts';
import { mustBe } from '../../cli/cluster-world.ts';
import { type DriverUnderTest, type DriverWorld, Gate } from './harness.ts';

const methods = new Set(['get', 'list', 'create', 'apply', 'mergePatch', 'jsonPatch', 'delete']);

/** Every call goes through the gate. */
const gated = (api: ClusterApi, gate: Gate): ClusterApi =>
  new Proxy(api, {
    get(target, name: keyof ClusterApi) {
      const member = target[name] as unknown;
      if (typeof member !== 'function') return member;
      const call = member.bind(target) as (...given: unknown[]) => Promise<never>;
      return methods.has(name) ? (...given: unknown[]) => gate.pass(() => call(...given)) : call;
    },
  });

export const aso: DriverUnderTest = {
  name: 'aso',
  seesAllOfAzure: false,
  async start(): Promise<DriverWorld> {
    const clock = manualClock(Date.UTC(2026, 10, 19));
    const server = await startClusterApi({
      file: ':memory:',
      port: 0,
      clock,
      random: seededRandom(1),
      ids: countingIds(),
    });
    const connect = (fieldManager: string) =>
      connectCluster({
        name: 'management',
        url: server.url,
        clock,
        log: silentLog,
        requestTimeoutMs: 20_000,
        fieldManager,
      });
    const [api, operatorApi] = [connect('poolwright'), connect('aso-controller')];
    await installDefinitions(api);
    mustBe(await api.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } }));
    const operator = await startAso({ api: operatorApi, clock, wakeByItself: false });
    const gate = new Gate();
    const anotherDriver = () => createAsoDriver({ api: gated(api, gate), clock });
    return {
      gate,
      driver: anotherDriver(),
      anotherDriver,
      azure: operator.azure,
      subscription: '11111111-1111-4111-8111-111111111111',
      async pass(seconds) {
        await operator.settle();
        clock.advance(seconds * 1000);
        await operator.settle();
      },
      refuse: (objects, { code, message }, count) =>
        operator.setFaults([
          {
            on: 'put',
            objects,
            ...(count === undefined ? {} : { count }),
            do: { kind: 'refused', status: 400, code, message },
          },
        ]),
      failLater: (objects, refusal) =>
        operator.setFaults([{ on: 'put', objects, do: { kind: 'operation-fails', ...refusal } }]),
      makeSleepy: (objects) =>
        operator.setFaults([
          {
            on: 'put',
            objects,
            count: 1,
            do: { kind: 'refused', status: 400, code: 'QuotaExceeded', message: 'no cores' },
          },
        ]),
      refuseDelete: (objects, { code, message }) =>
        operator.setFaults([{ on: 'delete', objects, do: { kind: 'refused', status: 409, code, message } }]),
      noFaults: () => operator.setFaults([]),
      async close() {
        await operator.close();
        api.close();
        operatorApi.close();
        await server.close();
      },
    };
  },
};
