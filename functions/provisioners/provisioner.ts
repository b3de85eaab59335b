/**
 * The provisioning function of one provider: stateless, idempotent, the only place with I/O. The same file serves every
 * provider; on a cloud host each is deployed apart, with its own SDK and credentials and nobody else's. The local host is
 * one process with every provider in it, so one of these serves them all.
 */
import { lifecycleActivities } from '../../shared/nodes/activities.ts';
import type { ActivityFunction } from '../declaration.ts';

export const provisionerFor = (provider: string): ActivityFunction => ({
  name: `provision-${provider}`,
  trigger: { type: 'activity', provider },
  activities: lifecycleActivities,
});
