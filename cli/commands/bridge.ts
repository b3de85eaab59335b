import { addBridgeOptions, bridgeDescription, bridgeExamples } from '../bridge-options.ts';
import type { Declare } from './declare.ts';

export const declareBridge: Declare = ({ command, run }) =>
  void addBridgeOptions(command('bridge', bridgeDescription, bridgeExamples)).action((options) =>
    run(async () => (await import('../bridge.ts')).bridge(options)),
  );
