/**
 * When a whole kind of machine is taken back, thousands of messages come within seconds, and all of their claims have the same
 * two minutes. Then first things go first: claims are looked up together, and only some of the Events are told, because each is
 * a write to an API server that is busy with drains. The log and the metrics have them all.
 */
import type { LifecycleServices } from '../../steps/services.ts';

const windowMs = 2000;
/** More than one delivery of ten. */
const manyInWindow = 20;
const eventsAtOnce = 50;
const eventsPerSecond = 5;

interface Crowd {
  windowBegan: number;
  inWindow: number;
  /** The window before was full: the crowd is still there. */
  goesOn: boolean;
  /** How many Events may be told now. */
  events: number;
  at: number;
}

const crowds = new WeakMap<LifecycleServices, Crowd>();

function crowdOf(services: LifecycleServices): Crowd {
  const now = services.clock.now();
  const crowd = crowds.get(services) ?? { windowBegan: now, inWindow: 0, goesOn: false, events: eventsAtOnce, at: now };
  crowds.set(services, crowd);
  if (now - crowd.windowBegan >= windowMs) {
    crowd.goesOn = crowd.inWindow > manyInWindow && now - crowd.windowBegan < 2 * windowMs;
    Object.assign(crowd, { windowBegan: now, inWindow: 0 });
  }
  const refilled = crowd.events + (Math.max(0, now - crowd.at) / 1000) * eventsPerSecond;
  return Object.assign(crowd, { events: Math.min(eventsAtOnce, refilled), at: now });
}

/** Counts one more machine. True: they come in crowds, so it pays to look claims up together. */
export function joinsCrowd(services: LifecycleServices): boolean {
  const crowd = crowdOf(services);
  return ++crowd.inWindow > manyInWindow || crowd.goesOn;
}

/** Whether one more may be told of; it then counts as told. */
export function mayTell(services: LifecycleServices): boolean {
  const crowd = crowdOf(services);
  if (crowd.events < 1) return false;
  crowd.events--;
  return true;
}
