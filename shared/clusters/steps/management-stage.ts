/**
 * One stage in the management cluster: each manifest is probed, applied and waited for, one after the other. Every part of it may have
 * happened before; what has is found by looking.
 */
import type { ClusterDriver, Outputs } from '../drivers/contract.ts';
import type { Manifest, PlannedStage } from '../manifests/manifest.ts';
import { failedCall, type Progress } from './progress.ts';

/** Told about each object that was looked at; for metrics. */
export type Observer = (manifest: Manifest, progress: Progress) => void;

export async function advanceManagement(
  driver: ClusterDriver,
  { manifests }: PlannedStage,
  observe: Observer,
  signal: AbortSignal,
): Promise<Progress> {
  let outputs: Outputs = {};
  for (const manifest of manifests) {
    const progress = await advanceOne(driver, manifest, signal);
    observe(manifest, progress);
    if (progress.state !== 'ready') return progress;
    outputs = { ...outputs, ...progress.outputs };
  }
  return { state: 'ready', outputs };
}

async function advanceOne(driver: ClusterDriver, manifest: Manifest, signal: AbortSignal): Promise<Progress> {
  const what = `${manifest.kind}/${manifest.metadata.name}`;
  let applied = await driver.apply(manifest, signal);
  if (!applied.ok && applied.error.kind === 'not-ready') {
    const probed = await driver.probe(manifest, signal);
    if (!probed.ok) return failedCall(probed.error, `probe of ${what}`);
    const { value } = probed;
    if (value.state === 'foreign') return { state: 'foreign', whose: value.whose };
    if (value.state === 'pending') return { state: 'pending', waitingFor: value.waitingFor };
    if (value.state === 'failed') {
      const { failure: fault } = value;
      if (fault.final) return { state: 'failed', fault };
      return { state: 'pending', waitingFor: `Azure to say whether ${what} exists`, fault };
    }
    applied = await driver.apply(manifest, signal);
  }
  if (!applied.ok) return failedCall(applied.error, `apply of ${what}`);
  const looked = await driver.look(manifest, signal);
  if (!looked.ok) return failedCall(looked.error, `look at ${what}`);
  const { value } = looked;
  switch (value.state) {
    case 'ready':
      return { state: 'ready', outputs: value.outputs };
    case 'failed':
      return { state: 'failed', fault: value.fault, outputs: value.outputs };
    case 'absent':
      return { state: 'pending', waitingFor: `${what} to be there` };
    case 'pending':
      return {
        state: 'pending',
        waitingFor: `${what}: ${value.waitingFor}`,
        fault: value.fault,
        outputs: value.outputs,
      };
  }
}
