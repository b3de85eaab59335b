/** Requests that are kept in the state and carried out by the driver `arm`, against the stand-in for Azure Resource Manager. */
import { countingIds } from '../../shared/base/runtime.ts';
import type { ArmDriver } from '../../shared/clusters/drivers/arm/driver.ts';
import { stateRequestStore } from '../../shared/clusters/store/state.ts';
import type { AsoSettingsInput } from '../../sim/aso/settings.ts';
import { type ArmWorld, startArmWorld } from '../conformance/cluster-drivers/arm-harness.ts';
import { type RequestWorld, requestWorld } from './request-world.ts';

/** @param settings How long things take; without them, no time. */
export async function armRequestWorld(settings?: AsoSettingsInput): Promise<{ world: RequestWorld; arm: ArmWorld }> {
  let arm: ArmWorld | undefined;
  // The stand-in needs the Azure of the world, and the world a driver.
  const driver = new Proxy({} as ArmDriver, { get: (_, name) => arm?.driver[name as keyof ArmDriver] });
  const place = { driver, api: undefined, preflight: undefined };
  let lives = 0;
  const world = await requestWorld({
    ...(settings === undefined ? {} : { aso: { settings } }),
    place: place as never,
    store: ({ clock, state }) => stateRequestStore({ state, clock, ids: countingIds(`life-${++lives}-`) }),
  });
  const { azure, clusters } = world.aso.aso;
  const same = settings === undefined ? { durations: allAtOnce } : settings;
  arm = await startArmWorld({ world: { azure, clusters }, settings: same }, world.clock);
  return { world, arm };
}

const allAtOnce = {
  group: 0,
  identity: 0,
  cluster: 0,
  pool: 0,
  extension: 0,
  configuration: 0,
  small: 0,
  update: 0,
  delete: 0,
};
