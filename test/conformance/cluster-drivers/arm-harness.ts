import { countingIds, manualClock } from '../../../shared/base/runtime.ts';
import { createArmDriver } from '../../../shared/clusters/drivers/arm/driver.ts';
import { type AzureConnection, connectAzure } from '../../../shared/platforms/azure/connection.ts';
import { type Arm, type ArmOptions, startArm } from '../../../sim/arm/arm.ts';
import { asoKinds } from '../../../sim/aso/kinds.ts';
import { selfSigned } from '../../../sim/kit/self-signed.ts';
import { type DriverUnderTest, type DriverWorld, Gate } from './harness.ts';

const certificate = selfSigned('the suite of cluster drivers');

const typeOf = (kind: string): string =>
  asoKinds
    .find(({ resource }) => resource.kind === kind)
    ?.type.split('/')
    .at(-1) ?? kind;

export interface ArmWorld extends DriverWorld {
  arm: Arm;
  connection: AzureConnection;
  driver: ReturnType<typeof createArmDriver>;
  clock: ReturnType<typeof manualClock>;
}

/** @param clock Of a world that exists already. */
export async function startArmWorld(
  options: ArmOptions = {},
  clock = manualClock(Date.UTC(2026, 10, 19)),
): Promise<ArmWorld> {
  // Pages of two: no list may end with the first.
  const arm = await startArm({ clock, ids: countingIds(), certificate, wakeByItself: false, pageSize: 2, ...options });
  const real = connectAzure(
    {
      credential: {
        type: 'client-secret',
        clientId: arm.clientId,
        tenant: arm.tenant,
        secret: { variable: 'AZURE_CLIENT_SECRET' },
      },
      cloud: { authorityHost: arm.url, armEndpoint: arm.url, audience: 'https://management.azure.com' },
      certificateAuthority: arm.certificate,
    },
    { clock, env: { AZURE_CLIENT_SECRET: arm.secret } },
  );
  const gate = new Gate();
  const connection: AzureConnection = {
    ...real,
    exchange: (write, call) => gate.pass(() => real.exchange(write, call)),
  };
  const anotherDriver = () => createArmDriver({ connection, subscriptionId: arm.subscription });
  return {
    gate,
    arm,
    clock,
    connection,
    driver: anotherDriver(),
    anotherDriver,
    azure: arm.azure,
    subscription: arm.subscription,
    async pass(seconds) {
      clock.advance(seconds * 1000);
      await arm.settle();
    },
    refuse: (kind, { code, message }, count) =>
      arm.setFaults([
        {
          on: 'PUT',
          type: typeOf(kind),
          ...(count === undefined ? {} : { count }),
          do: { kind: 'refused', status: 400, code, message },
        },
      ]),
    failLater: (kind, refusal) =>
      arm.setFaults([{ on: 'PUT', type: typeOf(kind), do: { kind: 'operation-fails', ...refusal } }]),
    makeSleepy: (kind) =>
      arm.setFaults([
        {
          on: 'PUT',
          type: typeOf(kind),
          count: 1,
          do: { kind: 'operation-fails', code: 'QuotaExceeded', message: 'no cores' },
        },
      ]),
    refuseDelete: (kind, { code, message }) =>
      arm.setFaults([{ on: 'DELETE', type: typeOf(kind), do: { kind: 'refused', status: 409, code, message } }]),
    noFaults: () => arm.setFaults([]),
    async close() {
      real.close();
      await arm.close();
    },
  };
}

export const arm: DriverUnderTest = { name: 'arm', seesAllOfAzure: true, start: () => startArmWorld() };
