/** `top` on a terminal: draws what the watches bring, a few times a second at most, and listens to keys. */

import type { Clock } from '../../../shared/base/runtime.ts';
import type { ClusterApi } from '../../../shared/kube/contract.ts';
import type { ClaimRow } from '../../terminal/claim-row/claim-row.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { frame, pageOf } from './frame.ts';
import { keysIn } from './keys.ts';
import { matches, type SortKey, sorted } from './rows.ts';
import { openScreen, type Screen, type Tty } from './screen.ts';
import { observe, type TopState } from './state.ts';
import { summaryLines, summaryOf } from './summary.ts';
import { firstView, pressed, type View } from './view.ts';

/** Faster than this nobody reads, and a busy cluster would keep a processor busy too. */
const drawEveryMs = 250;
/** Ages go on while nothing happens. */
const tickMs = 1000;

export interface Live {
  api: ClusterApi;
  tty: Tty;
  clock: Clock;
  color: boolean;
  sort: SortKey;
  selector: string | undefined;
  /** Ctrl-C, or whoever ends the command. */
  signal: AbortSignal;
}

export async function live({ api, tty, clock, color, sort, selector, signal }: Live): Promise<number> {
  const end = new AbortController();
  const both = AbortSignal.any([signal, end.signal]);
  let code: number = exitCodes.interrupted;
  let screen: Screen | undefined;
  let view: View = { ...firstView, sort };
  let timer: NodeJS.Timeout | undefined;
  let drawnAt = Number.NEGATIVE_INFINITY;
  const order = rememberedOrder();

  const draw = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (both.aborted || screen === undefined) return;
    drawnAt = clock.monotonic();
    const { rows, summary } = order(state, view);
    const reading = state.isSynced() ? '' : ', still reading';
    const title = `poolwright top   ${api.name}   ${new Date(clock.now()).toISOString().slice(11, 19)} UTC${reading}`;
    screen.draw(
      frame({ title, summary, rows, view, trouble: state.trouble(), now: clock.now(), color }, screen.size()),
    );
    timer = setTimeout(draw, tickMs);
  };
  const drawSoon = (): void => {
    if (screen === undefined) return;
    clearTimeout(timer);
    timer = setTimeout(draw, Math.max(0, drawnAt + drawEveryMs - clock.monotonic()));
  };
  const onInput = (text: string): void => {
    if (screen === undefined) return;
    for (const key of keysIn(text)) {
      const { rows, summary } = order(state, view);
      const next = pressed(view, key, pageOf(screen.size(), summary), rows.length);
      if (next === 'quit' || next === 'interrupted') {
        code = next === 'quit' ? exitCodes.done : exitCodes.interrupted;
        end.abort();
        return;
      }
      view = next;
    }
    draw();
  };
  const { state, done } = observe(
    api,
    selector,
    () => {
      order.forget();
      // Not before something is known: what can't be reached is said on the screen that was there before.
      screen ??= both.aborted ? undefined : openScreen(tty, { input: onInput, resize: draw });
      drawSoon();
    },
    both,
  );
  try {
    await done;
    return code;
  } finally {
    end.abort();
    clearTimeout(timer);
    screen?.close();
  }
}

interface Ordered {
  rows: ClaimRow[];
  summary: string[];
}

/** Ten thousand rows are sorted when something has changed, not whenever the clock moves on. */
function rememberedOrder(): { (state: TopState, view: View): Ordered; forget(): void } {
  let last: (Ordered & { sort: string; filter: string }) | undefined;
  const order = (state: TopState, { sort, filter }: View): Ordered => {
    if (last?.sort === sort && last.filter === filter) return last;
    const all = [...state.claims.values()];
    const rows = sorted(filter === '' ? all : all.filter((row) => matches(row, filter)), sort);
    last = { rows, summary: summaryLines(summaryOf(all), state.nodes(), state.pools()), sort, filter };
    return last;
  };
  return Object.assign(order, {
    forget: () => {
      last = undefined;
    },
  });
}
