/** The launch of a claim, as a durable orchestration. */
import { launch } from '../../shared/lifecycle/launch.ts';

export const launchOrchestrator = { name: 'launch', trigger: { type: 'workflow' }, workflow: launch } as const;
