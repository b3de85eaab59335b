/**
 * Keeps the process small: V8 lets garbage grow by many megabytes before it looks, which for a heap of ten is most of what the
 * bridge uses. It needs `--expose-gc`; without it, nothing happens.
 */
const everyMs = 100;
const tolerated = 2 * 1024 * 1024;

/** Returns how to end it. */
export function keepTidy(): () => void {
  const collect = globalThis.gc;
  if (collect === undefined) return () => undefined;
  let kept = 0;
  const timer = setInterval(() => {
    if (process.memoryUsage().heapUsed < kept + tolerated) return;
    collect();
    kept = process.memoryUsage().heapUsed;
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
