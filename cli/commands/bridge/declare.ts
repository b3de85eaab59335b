import type { Declare } from '../declare.ts';
import { addBridgeOptions, bridgeDescription, bridgeExamples } from './options.ts';

export const declareBridge: Declare = ({ command, run }) =>
  void addBridgeOptions(command('bridge', bridgeDescription, bridgeExamples)).action((options) =>
    run(async () => (await import('./run.ts')).bridge(options)),
  );
