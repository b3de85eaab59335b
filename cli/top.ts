/** `poolwright top`: the cluster at a glance, and as it changes. */
import { systemClock } from '../shared/base/runtime.ts';
import { type ClusterChoice, withCluster } from './cluster-access.ts';
import type { Terminal } from './terminal.ts';
import type { SortKey } from './top/rows.ts';

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
      const { plain } = await import('./top/plain.ts');
      return plain({ ...common, terminal, everyMs: watch ? every * 1000 : undefined });
    }
    const { live } = await import('./top/live.ts');
    const { processTty } = await import('./top/process-tty.ts');
    return live({ ...common, tty: processTty(), color: terminal.color, signal: terminal.signal });
  });
}
