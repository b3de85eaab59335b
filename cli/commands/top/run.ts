/** `poolwright top`: the cluster at a glance, and as it changes. */
import { systemClock } from '../../../shared/base/runtime.ts';
import { type ClusterChoice, withCluster } from '../../reach/cluster-access.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { SortKey } from './rows.ts';

export interface TopOptions extends ClusterChoice {
  selector?: string;
  sort: SortKey;
  watch?: boolean;
  /** Seconds. */
  every: number;
}

export function top(options: TopOptions, terminal: Terminal): Promise<number> {
  const { selector, sort, watch, every } = options;
  return withCluster(options, async (api) => {
    const common = { api, clock: systemClock, sort, selector };
    if (!terminal.isLive) {
      const { plain } = await import('./plain.ts');
      return plain({ ...common, terminal, everyMs: watch ? every * 1000 : undefined });
    }
    const { live } = await import('./live.ts');
    const { processTty } = await import('./process-tty.ts');
    return live({ ...common, tty: processTty(), color: terminal.color, signal: terminal.signal });
  });
}
