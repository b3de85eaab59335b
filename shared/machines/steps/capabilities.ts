/** What a provider can do, asked now and then: a new version of it may do more. */
import { ok, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import type { Capabilities, MachineDriver } from '../../drivers/contract.ts';

const keptMs = 300_000;
const known = new WeakMap<MachineDriver, { at: number; value: Capabilities }>();

export async function capabilitiesOf(
  driver: MachineDriver,
  clock: Clock,
  signal: AbortSignal,
): Promise<Result<Capabilities>> {
  const kept = known.get(driver);
  if (kept !== undefined && clock.now() - kept.at < keptMs) return ok(kept.value);
  const asked = await driver.capabilities(signal);
  if (asked.ok) known.set(driver, { at: clock.now(), value: asked.value });
  return asked;
}
